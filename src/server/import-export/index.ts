// The public file of this area: other areas import from here only.
export { registerConvertCommand } from './convert-command.ts';
export { addPicturesCommand } from './imported-pictures-command.ts';
export { addJsonLinesCommand } from './jsonl-command.ts';
export { ArchiveError } from './stack-exchange-errors.ts';
export { registerExportCommand } from './export-command.ts';
export { importedPostRoutes } from './imported-posts-routes.ts';
export { demoMember, demoModerator, isEmptyCommunity, loadDemo } from './demo.ts';
export { registerImportCommand } from './stack-exchange-command.ts';

/** Few processes export, and the formats have many modules. */
export const loadExport = () => import('./export.ts');
