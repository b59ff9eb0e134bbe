// The public file of this area: other areas import from here only.
export { accountMergeRoutes, type AccountMergeDeps } from './account-merge-routes.ts';
export { createAccountMergeJob, createAccountMergeQueue, type QueueAccountMerge } from './account-merge.ts';
export { emailRoutes, type EmailRoutesDeps } from './emails-routes.ts';
export { invitationRoutes, invitationVisitorRoutes } from './invitations-routes.ts';
export { addMemberCommands } from './members-command.ts';
export { siteSettingRoutes } from './settings-routes.ts';
export { sitePageRoutes } from './site-pages-routes.ts';
export { addSettingsCommands } from './settings-command.ts';
export { findSetupLink } from './setup.ts';
export { setupRoutes } from './setup-routes.ts';
export { setRole } from './roles.ts';
export { roleRoutes } from './roles-routes.ts';
export { communityStatisticsJob } from './statistics.ts';
export { adminSignInRoutes } from './sign-in-routes.ts';
export { statisticsRoutes } from './statistics-routes.ts';
export { readEmailLogo } from './site-pictures.ts';
export { serveSitePictures, sitePictureRoutes, sitePicturesPath } from './site-pictures-routes.ts';
