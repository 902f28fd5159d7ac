//! Texture and surface objects.

use crate::border::{In, Out};
use crate::status::Status;
use crate::textures::{self, Resource, Sampling, View};

exports! {
    fn cuTexObjectCreate(texture: Out<usize>, resource: In<Resource>, sampling: In<Sampling>, view: In<View>) {
        if texture.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let sampling = Some(sampling.get()?);
        texture.put(textures::create(resource.get()?, sampling, view.get().ok())?)
    }

    fn cuTexObjectDestroy(texture: usize) {
        textures::destroy(texture)
    }

    fn cuTexObjectGetResourceDesc(resource: Out<Resource>, texture: usize) {
        resource.put(textures::get(texture)?.resource)
    }

    fn cuTexObjectGetTextureDesc(sampling: Out<Sampling>, texture: usize) {
        sampling.put(textures::get(texture)?.sampling.ok_or(Status::INVALID_VALUE)?)
    }

    fn cuTexObjectGetResourceViewDesc(view: Out<View>, texture: usize) {
        view.put(textures::get(texture)?.view.ok_or(Status::INVALID_VALUE)?)
    }

    fn cuSurfObjectCreate(surface: Out<usize>, resource: In<Resource>) {
        if surface.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        surface.put(textures::create(resource.get()?, None, None)?)
    }

    fn cuSurfObjectDestroy(surface: usize) {
        textures::destroy(surface)
    }

    fn cuSurfObjectGetResourceDesc(resource: Out<Resource>, surface: usize) {
        resource.put(textures::get(surface)?.resource)
    }
}
