// The public file of this area: other areas import from here only.
export { type AccountDeletionDeps, accountDeletionRoutes } from './account-deletion-routes.ts';
export {
  forgetSomeWebhookRequests,
  isMerging,
  lockAdminsAnd,
  lockMembers,
} from './account-deletion-queries.ts';
export {
  createAccountDeletionJob,
  createAccountDeletionQueue,
  deleteAccountInTransaction,
  type QueueAccountDeletion,
  queueAccountDeletions,
} from './account-deletion.ts';
export {
  type AccountEmails,
  buildApprovalEmail,
  buildEmailChangeConfirmation,
  buildEmailChangeNotice,
  buildPasswordResetEmail,
  buildRefusalEmail,
  createAccountEmailJob,
  createAccountEmails,
} from './account-emails.ts';
export {
  type AccountRecoveryDeps,
  accountRecoveryRoutes,
  emailAddressRoutes,
} from './account-recovery-routes.ts';
export { addRemoveTwoFactorCommand, addResetPasswordCommand } from './accounts-command.ts';
export {
  type AccountDeps,
  accountVisitorRoutes,
  getVisitor,
  identifyViewer,
  requireSignedIn,
  sessionRoutes,
  setCookies,
} from './accounts-routes.ts';
export { getMe } from './accounts.ts';
export {
  type Accounts,
  createAccounts,
  findViewer,
  getActiveSuspension,
  getMemberSuspension,
  listMembersByEmail,
  type NewSession,
  type Visitor,
} from './accounts.ts';
export { type ApplicationDeps, applicationRoutes } from './applications-routes.ts';
export { lockApplication, signUpAnswersOf } from './applications-queries.ts';
export { deleteOldBlockedEmails } from './blocked-emails.ts';
export { createAuth } from './auth.ts';
export { dataExportRoutes } from './data-export-routes.ts';
export { refuseImpersonation } from './display-names.ts';
export { createEmailAddresses } from './email-addresses.ts';
export { createFormerNameJob, createFormerNameQueue, type QueueFormerName } from './former-names.ts';
export { createInvitation, readInvitations, requireInvitation, revokeInvitation } from './invitations.ts';
export { createJoining } from './joining.ts';
export { checkIssuer } from './oidc-client.ts';
export { type PasskeyDeps, passkeyRoutes, passkeyVisitorRoutes } from './passkeys-routes.ts';
export { createPasskeys } from './passkeys.ts';
export { createPasswordSignIn } from './password-sign-in.ts';
export { createPasswordChange } from './password-change.ts';
export { createPasswordResets } from './password-resets.ts';
export { defaultPasswordCost, hashPassword, type PasswordCost } from './passwords.ts';
export { importedBadgesJson } from './profiles-badges-queries.ts';
export { profileRoutes, type SettingsDeps, settingsRoutes } from './profiles-routes.ts';
export { type ProviderDeps, providerRoutes, providerVisitorRoutes } from './providers-routes.ts';
export { createProviders } from './providers.ts';
export { createPasswordCheck, requireSession, type RequirePassword } from './reauthentication.ts';
export {
  approveAccounts,
  createRegistrations,
  deleteOldRegistrations,
  noteConfirmedEmail,
} from './registrations.ts';
export {
  buildSecurityEmail,
  deleteOldSecurityEvents,
  hasSecurityEvent,
  logSecurityEvents,
  queueSecurityEmails,
  recordSecurityEvent,
} from './security-events.ts';
export { createSessionCache, type SessionCache } from './sessions-cache.ts';
export { createSignIn } from './sign-in.ts';
export { createSignInMethods, type SignInMethods } from './sign-in-methods.ts';
export {
  type ConfiguredProvider,
  isUsable,
  createSignInProviders,
  encryptClientSecret,
  getAccountProviderId,
  getRedirectUri,
  type SignInProviders,
} from './sign-in-providers.ts';
export { accountProviderPrefix, listSignInProviders } from './sign-in-providers-queries.ts';
export { deleteOldSignIns, recordSignIn } from './sign-ins.ts';
export { type TwoFactorDeps, twoFactorRoutes, twoFactorVisitorRoutes } from './two-factor-routes.ts';
export { createTwoFactor, removeSignInFactorsOf } from './two-factor.ts';
