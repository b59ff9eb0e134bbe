// The public file of this area: other areas import from here only.
export { addMemberCommands } from './members-command.ts';
export { addSettingsCommands } from './settings-command.ts';
export { setRole } from './roles.ts';
