export { addTokenScopes } from './api-token-docs.ts';
export { createApiTokens, deleteInvalidApiTokens } from './api-tokens.ts';
export { type ApiTokenDeps, apiTokenRoutes } from './api-tokens-routes.ts';
export { mcpPath, mcpRoutes } from './mcp-routes.ts';
export { oembedPath } from './oembed.ts';
export { renderHead } from './page-head.ts';
export { publicFileRoutes } from './public-file-routes.ts';
export { previewPicturePattern } from './preview-pictures.ts';
