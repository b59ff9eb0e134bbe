import {
  type AccountDeletionDeps,
  accountDeletionRoutes,
  type ApplicationDeps,
  applicationRoutes,
  type AccountDeps,
  type AccountRecoveryDeps,
  accountRecoveryRoutes,
  accountVisitorRoutes,
  dataExportRoutes,
  emailAddressRoutes,
  type PasskeyDeps,
  passkeyRoutes,
  passkeyVisitorRoutes,
  profileRoutes,
  type ProviderDeps,
  providerRoutes,
  providerVisitorRoutes,
  identifyViewer,
  requireSignedIn,
  sessionRoutes,
  type SettingsDeps,
  settingsRoutes,
  type TwoFactorDeps,
  twoFactorRoutes,
  twoFactorVisitorRoutes,
} from './identity/index.ts';
import { createRouter, documentSecurity, type RouteDeps } from './core/http.ts';
import {
  activityRoutes,
  feedRoutes,
  followedTagRoutes,
  relatedRoutes,
  type EmptySearchCounter,
  searchRoutes,
  similarRoutes,
  tagRoutes,
} from './discovery/index.ts';
import {
  answerRoutes,
  publicAnswerRoutes,
  publicQuestionRoutes,
  publicReplyRoutes,
  draftRoutes,
  mentionRoutes,
  questionRoutes,
  replyRoutes,
  revisionRoutes,
  uploadRoutes,
} from './posts/index.ts';
import {
  type AccountMergeDeps,
  accountMergeRoutes,
  emailRoutes,
  type EmailRoutesDeps,
  profileClaimRoutes,
  type ProfileClaimDeps,
  invitationRoutes,
  invitationVisitorRoutes,
  roleRoutes,
  setupRoutes,
  sitePageRoutes,
  sitePictureRoutes,
  adminSignInRoutes,
  type SignInProviderDeps,
  signInProviderRoutes,
  siteSettingRoutes,
  statisticsRoutes,
} from './admin/index.ts';
import {
  announcementRoutes,
  closeVoteRoutes,
  editSuggestionRoutes,
  managedTagRoutes,
  type MemberApplicationDeps,
  memberApplicationRoutes,
  memberListRoutes,
  memberPageRoutes,
  moderationRoutes,
  moderatorRoutes,
  type ModerationRoutesDeps,
  publicAnnouncementRoutes,
  removalRoutes,
  tagProposalRoutes,
} from './moderation/index.ts';
import { bookmarkRoutes, followRoutes, muteRoutes, voteRoutes } from './engagement/index.ts';
import { importedPostRoutes } from './import-export/index.ts';
import {
  type ApiTokenDeps,
  apiTokenRoutes,
  changeRoutes,
  type ServiceAccountDeps,
  serviceAccountRoutes,
  type WebhookDeps,
  webhookRoutes,
} from './integrations/index.ts';
import { type SystemRoutesDeps, systemRoutes } from './operations/index.ts';
import {
  emailLinkRoutes,
  type ReceivedEmailDeps,
  receivedEmailRoutes,
  notificationPreferenceRoutes,
  type NotificationPreferenceRoutesDeps,
  notificationRoutes,
} from './notifications/index.ts';
import type { RequestLimits } from './core/request-limits.ts';
import {
  limitViewers,
  limitWrites,
  queueRequests,
  queueUploadsByNetwork,
} from './core/request-limits-middleware.ts';
import { type ReadRoutingDeps, recordWrites, routeReads } from './postgres/index.ts';
import type { ObjectStore } from './core/object-store.ts';
import type { SendDocument } from './core/response-cache-http.ts';
import { allowSharedCaching } from './core/public-reading.ts';

/** The type of the API, for the typed client in the browser. */
export type Api = ReturnType<typeof createApi>;

/**
 * The routes of every feature, listed explicitly. Visitors may read the routes between `identifyViewer` and
 * `requireSignedIn` while public reading is on; the routes after it are for signed-in members only.
 */
export function createApi(
  deps: RouteDeps &
    AccountDeps &
    AccountRecoveryDeps &
    AccountDeletionDeps &
    SettingsDeps &
    TwoFactorDeps &
    PasskeyDeps &
    ApiTokenDeps &
    ServiceAccountDeps &
    WebhookDeps &
    ApplicationDeps &
    ProviderDeps &
    SignInProviderDeps &
    ReadRoutingDeps &
    NotificationPreferenceRoutesDeps &
    AccountMergeDeps &
    ProfileClaimDeps &
    ModerationRoutesDeps &
    MemberApplicationDeps &
    EmailRoutesDeps &
    ReceivedEmailDeps &
    SystemRoutesDeps & {
      objectStore: ObjectStore | undefined;
      sendDocument: SendDocument;
      requestLimits: RequestLimits | undefined;
      emptySearches: EmptySearchCounter | undefined;
    },
) {
  const visitorApi = createRouter();
  visitorApi.use(recordWrites(deps.replicas));
  const api = visitorApi
    .route('/', accountVisitorRoutes(deps))
    .route('/', accountRecoveryRoutes(deps))
    .route('/', twoFactorVisitorRoutes(deps))
    .route('/', passkeyVisitorRoutes(deps))
    .route('/', providerVisitorRoutes(deps))
    .route('/', emailLinkRoutes(deps))
    .route('/', receivedEmailRoutes(deps))
    .route('/', setupRoutes(deps))
    .route('/', invitationVisitorRoutes(deps))
    .route('/', sitePageRoutes(deps));
  documentSecurity(api, []);
  api.use(
    identifyViewer(deps),
    limitViewers(deps.requestLimits, deps.settings),
    limitWrites(deps.limits.change),
    queueRequests('writing', deps.settings),
    queueRequests('uploading', deps.settings),
    queueUploadsByNetwork(deps.settings),
    queueRequests('searching', deps.settings),
    queueRequests('reading', deps.settings),
    routeReads(deps),
    allowSharedCaching(deps.settings),
  );
  const publicApi = api
    .route('/', feedRoutes(deps))
    .route('/', publicQuestionRoutes(deps))
    .route('/', publicAnswerRoutes())
    .route('/', publicReplyRoutes())
    .route('/', revisionRoutes())
    .route('/', activityRoutes())
    .route('/', tagRoutes(deps))
    .route('/', publicAnnouncementRoutes(deps))
    .route('/', searchRoutes(deps))
    .route('/', relatedRoutes())
    .route('/', profileRoutes(deps))
    .route('/', importedPostRoutes(deps))
    .route('/', changeRoutes());
  documentSecurity(publicApi, [{}]);
  publicApi.use(requireSignedIn);
  return publicApi
    .route('/', sessionRoutes(deps))
    .route('/', emailAddressRoutes(deps))
    .route('/', accountDeletionRoutes(deps))
    .route('/', dataExportRoutes(deps))
    .route('/', applicationRoutes(deps))
    .route('/', twoFactorRoutes(deps))
    .route('/', passkeyRoutes(deps))
    .route('/', apiTokenRoutes(deps))
    .route('/', providerRoutes(deps))
    .route('/', questionRoutes(deps))
    .route('/', answerRoutes(deps))
    .route('/', replyRoutes(deps))
    .route('/', voteRoutes(deps))
    .route('/', followRoutes(deps))
    .route('/', bookmarkRoutes(deps))
    .route('/', muteRoutes(deps))
    .route('/', moderationRoutes(deps))
    .route('/', moderatorRoutes(deps))
    .route('/', editSuggestionRoutes(deps))
    .route('/', closeVoteRoutes(deps))
    .route('/', removalRoutes(deps))
    .route('/', roleRoutes(deps))
    .route('/', accountMergeRoutes(deps))
    .route('/', profileClaimRoutes(deps))
    .route('/', siteSettingRoutes(deps))
    .route('/', adminSignInRoutes(deps))
    .route('/', signInProviderRoutes(deps))
    .route('/', sitePictureRoutes(deps))
    .route('/', systemRoutes(deps))
    .route('/', emailRoutes(deps))
    .route('/', webhookRoutes(deps))
    .route('/', serviceAccountRoutes(deps))
    .route('/', invitationRoutes(deps))
    .route('/', managedTagRoutes(deps))
    .route('/', memberApplicationRoutes(deps))
    .route('/', tagProposalRoutes(deps))
    .route('/', memberListRoutes(deps))
    .route('/', memberPageRoutes(deps))
    .route('/', announcementRoutes(deps))
    .route('/', statisticsRoutes())
    .route('/', followedTagRoutes(deps))
    .route('/', mentionRoutes(deps))
    .route('/', draftRoutes(deps))
    .route('/', uploadRoutes(deps))
    .route('/', similarRoutes(deps))
    .route('/', notificationRoutes(deps))
    .route('/', notificationPreferenceRoutes(deps))
    .route('/', settingsRoutes(deps));
}
