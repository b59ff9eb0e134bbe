export { renderHead } from './page-head.ts';
export { publicFileRoutes } from './public-file-routes.ts';
export { previewPicturePattern } from './preview-pictures.ts';
