//! Where a run takes place: a folder of its own with the files that its setting names.

use crate::fixture::{Fixture, Run, Setting};
use migfit_tests::{Sandbox, process};
use std::process::Command;

/// A run about to happen.
pub struct Scene {
    /// Its folder.
    pub folder: Sandbox,
    /// All that it finds.
    pub setting: Setting,
}

impl Scene {
    /// The folder with its files.
    pub fn of(fixture: &Fixture, run: &Run) -> Scene {
        let setting = fixture.setting.with(&run.setting);
        let folder = Sandbox::new();
        for (name, bytes) in &setting.files {
            let parent = folder.path(name);
            let parent = parent.parent().expect("a file lies in a folder");
            std::fs::create_dir_all(parent).expect("folders can be made");
            folder.put(name, bytes);
        }
        for make in &setting.makes {
            let mut shell = Command::new("sh");
            shell.args(["-e", "-c", make]).current_dir(folder.folder());
            process::output(process::clean(&mut shell)).expect_success();
        }
        Scene { folder, setting }
    }

    /// Gives a command the run's variables, and none of ours that could change its answer.
    pub fn dress<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let variables = self.setting.variables.iter();
        command.envs(variables.map(|(name, value)| (name, value)))
    }
}
