//! Texture and surface objects.

use crate::border::{In, Out};
use crate::bound::bound;
use crate::error::{Status, checked};
use crate::textures::{self, Made, TextureResource, TextureSampling, TextureView};

exports! {
    fn cudaCreateTextureObject(
        texture: Out<usize>, resource: In<TextureResource>, sampling: In<TextureSampling>, view: In<TextureView>,
    ) {
        let made = Made {
            resource: resource.get()?,
            sampling: Some(sampling.get()?),
            view: view.get().ok(),
        };
        let (resource, sampling) = (made.resource.described()?, sampling.get()?.described());
        let view = made.view.as_ref().map_or(0, |view| view.as_ptr().expose_provenance());
        let mut handle = 0;
        let create = bound()?.texture_create;
        // SAFETY: room for a handle; the descriptions live through the call.
        checked(unsafe { create(&raw mut handle, &raw const resource, &raw const sampling, view) })?;
        textures::remember(handle, made);
        texture.put(handle)
    }

    fn cudaDestroyTextureObject(texture: usize) {
        textures::forget(texture);
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.texture_destroy)(texture) })
    }

    fn cudaGetTextureObjectResourceDesc(resource: Out<TextureResource>, texture: usize) {
        resource.put(textures::made(texture)?.resource)
    }

    fn cudaGetTextureObjectTextureDesc(sampling: Out<TextureSampling>, texture: usize) {
        sampling.put(textures::made(texture)?.sampling.ok_or(Status::INVALID_VALUE)?)
    }

    fn cudaGetTextureObjectResourceViewDesc(view: Out<TextureView>, texture: usize) {
        view.put(textures::made(texture)?.view.ok_or(Status::INVALID_VALUE)?)
    }

    fn cudaCreateSurfaceObject(surface: Out<usize>, resource: In<TextureResource>) {
        let made = Made {
            resource: resource.get()?,
            sampling: None,
            view: None,
        };
        let resource = made.resource.described()?;
        let mut handle = 0;
        // SAFETY: room for a handle; the description lives through the call.
        checked(unsafe { (bound()?.surface_create)(&raw mut handle, &raw const resource) })?;
        textures::remember(handle, made);
        surface.put(handle)
    }

    fn cudaDestroySurfaceObject(surface: usize) {
        textures::forget(surface);
        // SAFETY: the driver refuses a handle that is none.
        checked(unsafe { (bound()?.surface_destroy)(surface) })
    }

    fn cudaGetSurfaceObjectResourceDesc(resource: Out<TextureResource>, surface: usize) {
        resource.put(textures::made(surface)?.resource)
    }
}
