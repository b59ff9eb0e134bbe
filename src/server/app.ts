import { approveAccounts } from './identity/registrations.ts';
import { createRouter, type ReplicaPositionEnv, type RouteDeps } from './core/http.ts';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import { type Position, positionHeader } from '#shared/core/events.ts';
import { createAccounts } from './identity/accounts.ts';
import { createEmailAddresses } from './identity/email-addresses.ts';
import { createAuth } from './identity/auth.ts';
import { createPasswordCheck } from './identity/reauthentication.ts';
import { defaultPasswordCost, type PasswordCost } from './identity/passwords.ts';
import {
  type AccountRecoveryDeps,
  accountRecoveryRoutes,
  emailAddressRoutes,
} from './identity/account-recovery-routes.ts';
import { createPasswordResets } from './identity/password-resets.ts';
import { type PasskeyDeps, passkeyRoutes, passkeyVisitorRoutes } from './identity/passkeys-routes.ts';
import { createPasskeys } from './identity/passkeys.ts';
import { type ProviderDeps, providerRoutes, providerVisitorRoutes } from './identity/providers-routes.ts';
import { createProviders } from './identity/providers.ts';
import { createRegistrations } from './identity/registrations.ts';
import {
  type AccountDeps,
  accountVisitorRoutes,
  requireSignedIn,
  sessionRoutes,
} from './identity/accounts-routes.ts';
import { logSecurityEvents } from './identity/security-events.ts';
import { type TwoFactorDeps, twoFactorRoutes, twoFactorVisitorRoutes } from './identity/two-factor-routes.ts';
import { createTwoFactor } from './identity/two-factor.ts';
import { createSignIn } from './identity/sign-in.ts';
import { activityRoutes } from './discovery/activity-routes.ts';
import { answerRoutes } from './posts/answers-routes.ts';
import { removalRoutes } from './moderation/removals-routes.ts';
import { moderationRoutes, type ModerationRoutesDeps } from './moderation/moderation-routes.ts';
import { bookmarkRoutes } from './engagement/bookmarks-routes.ts';
import { type AccountDeletionDeps, accountDeletionRoutes } from './identity/account-deletion-routes.ts';
import { dataExportRoutes } from './identity/data-export-routes.ts';
import { draftRoutes } from './posts/drafts-routes.ts';
import type { BackgroundJobs } from './jobs.ts';
import { feedRoutes } from './discovery/feeds-routes.ts';
import { followRoutes } from './engagement/follows-routes.ts';
import type { NodeCaches } from './cached-routes.ts';
import { mentionRoutes } from './posts/mentions-routes.ts';
import { muteRoutes } from './engagement/mutes-routes.ts';
import { notificationRoutes } from './notifications/notifications-routes.ts';
import { apiDocsRoutes } from './core/api-docs.ts';
import type { Database } from './core/database.ts';
import { ProblemError, toErrorResponse } from './core/errors.ts';
import { renderMemberPages } from './pages.ts';
import { limitBodySize } from './core/http-body-limit.ts';
import { createIdentityProvider } from './identity/oidc-client.ts';
import type { RequestLimits } from './core/request-limits.ts';
import {
  limitMembers,
  limitVisitors,
  limitWrites,
  queueMemberRequests,
} from './core/request-limits-middleware.ts';
import { healthRoutes } from './core/health.ts';
import { type Metrics, metricsRoutes } from './core/metrics.ts';
import { type ReadRoutingDeps, recordWrites, routeReads } from './postgres/replica-routing.ts';
import type { Replicas } from './postgres/replicas.ts';
import { createPageReader, type PageReader } from './core/response-cache-http.ts';
import { setWritesCookie } from './core/read-your-writes.ts';
import { trackRequests } from './core/request-id.ts';
import { serveServiceWorkerRemoval } from './core/service-worker-removal.ts';
import { requireSameOrigin } from './core/same-origin.ts';
import { securityHeaders } from './core/security-headers.ts';
import type { SiteSettings } from './core/site-settings.ts';
import { createWriteLimits } from './posts/write-limits.ts';
import { createNotificationPreferences } from './notifications/preferences.ts';
import {
  emailLinkRoutes,
  notificationPreferenceRoutes,
  type NotificationPreferenceRoutesDeps,
  oneClickUnsubscribeRoutes,
} from './notifications/preferences-routes.ts';
import { createPushSubscriptions } from './notifications/push.ts';
import { profileRoutes } from './identity/profiles-routes.ts';
import { questionRoutes } from './posts/questions-routes.ts';
import { replyRoutes } from './posts/replies-routes.ts';
import { searchRoutes } from './discovery/search-routes.ts';
import { similarRoutes } from './discovery/similar-routes.ts';
import { tagRoutes } from './discovery/tags-routes.ts';
import { voteRoutes } from './engagement/votes-routes.ts';

export type AppOptions = {
  db: Database;
  /** The same database on connections for searches alone; absent where they share those of everything else. */
  searchDb?: Database;
  settings: SiteSettings;
  log: Logger;
  /** The position of the stream of events up to which a reading that begins now is surely right. */
  position?: () => Position;
  /** Whether a balancer may send requests here; absent where nobody asks. */
  isReady?: () => boolean;
  /** What /readyz says beside that. */
  healthWarning?: () => string | null;
  /** What this node tells of itself; absent where nobody asks. */
  metrics?: Metrics | undefined;
  /** Streaming replicas that serve reads. */
  replicas?: Replicas | undefined;
  /** What is kept to answer with; absent where every request asks the database. */
  caches?: Pick<NodeCaches, 'responses' | 'sessions'> | undefined;
  /** What asks for mails and pushes; absent where nothing is mailed or pushed. */
  background?:
    | Pick<
        BackgroundJobs,
        'accountEmails' | 'askToConfirm' | 'moderation' | 'followDeparture' | 'webPushSender'
      >
    | undefined;
  /** Limits on how many requests are taken; absent where all are. */
  requestLimits?: RequestLimits | undefined;
  /** The built browser part; absent where only the API is served. */
  webDirectory?: string;
  /** What a password costs whoever tries it; the full cost but in tests about something else. */
  passwordCost?: PasswordCost;
};

/** The whole of Parley over HTTP: the API below /api, and for every other path the browser part. */
export function createApp(options: AppOptions) {
  const {
    db,
    settings,
    log,
    position,
    isReady,
    healthWarning,
    metrics,
    replicas,
    caches,
    background,
    requestLimits,
    webDirectory,
  } = options;
  const passwordCost = options.passwordCost ?? defaultPasswordCost;
  const auth = createAuth(db, settings, passwordCost);
  const preferences = createNotificationPreferences({
    approveAccounts,
    db,
    settings,
    queueConfirmationEmail: background?.askToConfirm,
  });
  const accountEmails = background?.accountEmails;
  const registrations = createRegistrations({ db, settings, canSendEmail: accountEmails !== undefined });
  const accounts = createAccounts({
    db,
    auth,
    settings,
    registrations,
    sessionCache: caches?.sessions,
    onRegistered: preferences.askNewMember,
  });
  const askForPassword = createPasswordCheck(db);
  const passwordResets = createPasswordResets({ db, settings, emails: accountEmails, passwordCost });
  const emailAddresses = createEmailAddresses({ db, emails: accountEmails, askForPassword });
  logSecurityEvents(db, log);
  const twoFactor = createTwoFactor({ db, settings, askForPassword, passwordCost });
  const signingIn = createSignIn({ db, auth, settings, secondFactor: twoFactor });
  const passkeys = createPasskeys({ db, settings, askForPassword, signingIn });
  const provider = settings.identityProvider && createIdentityProvider(settings.identityProvider, log);
  const found = { provider: provider ?? undefined };
  const providers = createProviders({
    db,
    auth,
    settings,
    accounts,
    signingIn,
    askForPassword,
    registrations,
    ...found,
  });
  const app = createRouter<{ Variables: object }>();
  app.onError((error, c) => toErrorResponse(error, c, log, metrics?.countRejected));
  app.use(trackRequests({ trustedProxies: settings.trustedProxies, log }));
  if (metrics !== undefined) app.use(metrics.measure);
  app.use(securityHeaders(settings));
  app.route('/', metricsRoutes(metrics));
  if (isReady !== undefined) app.route('/', healthRoutes(isReady, healthWarning));
  app.use('/api/*', requireSameOrigin(settings), limitBodySize(maxBodyBytes), disableCaching);
  if (position !== undefined) app.use('/api/*', sendPosition(position));
  app.route('/', oneClickUnsubscribeRoutes({ preferences }));
  const pushSubscriptions = createPushSubscriptions({ db, pusher: background?.webPushSender });
  const limits = createWriteLimits(db);
  const pageReader = createPageReader(caches?.responses);
  if (caches !== undefined) app.use('/api/*', setWritesCookie(caches.responses.writes, settings));
  if (requestLimits !== undefined)
    app.use('/api/*', limitVisitors({ requestLimits, settings, sessions: caches?.sessions }));
  const moderation = background?.moderation ?? { queueEmail: undefined, queueWork: undefined };
  const api = createApi({
    db,
    searchDb: options.searchDb ?? db,
    settings,
    accounts,
    passwordResets,
    emailAddresses,
    askForPassword,
    queueAccountDeletion: background?.followDeparture,
    limits,
    position,
    replicas,
    preferences,
    pushSubscriptions,
    pages: pageReader,
    floods: requestLimits,
    moderation,
    twoFactor,
    signingIn,
    passkeys,
    providers,
  });
  app.route(
    '/api',
    apiDocsRoutes((document) => api.getOpenAPI31Document(document)),
  );
  app.route('/api', api);
  app.all('/api/*', () => {
    throw new ProblemError('not-found', 'There is nothing at this address.');
  });
  if (webDirectory !== undefined) serveWeb(webDirectory);
  return app;

  function serveWeb(folder: string) {
    // The build has compressed every file (vite.config.ts).
    const files = { root: folder, precompressed: true };
    app.use('/assets/*', serveStatic({ ...files, onFound: cacheImmutable }));
    // Pages of an earlier build ask for files that are gone; the page in their place would be taken for them.
    app.all('/assets/*', () => {
      throw new ProblemError('not-found', 'There is nothing at this address.');
    });
    if (!settings.hasServiceWorker) app.get('/service-worker.js', serveServiceWorkerRemoval);
    const page = renderMemberPages(folder, (request) => app.fetch(request));
    app.get('/', page);
    app.use('*', serveStatic({ ...files, onFound: cacheRevalidated }));
    app.get('*', page, serveStatic({ ...files, path: 'index.html', onFound: cacheRevalidated }));
  }
}

/** Names of assets change with their content. */
const cacheImmutable = (_: string, c: Context) =>
  c.header('cache-control', 'public, max-age=31536000, immutable');
const cacheRevalidated = (_: string, c: Context) => c.header('cache-control', 'no-cache');

/** The type of the API, for the typed client in the browser. */
export type Api = ReturnType<typeof createApi>;

/** Every feature's routes, listed by hand. What stands below `signedIn` is for signed-in members only. */
function createApi(
  deps: RouteDeps &
    AccountDeps &
    AccountRecoveryDeps &
    AccountDeletionDeps &
    TwoFactorDeps &
    PasskeyDeps &
    ProviderDeps &
    ReadRoutingDeps &
    NotificationPreferenceRoutesDeps &
    ModerationRoutesDeps & { pages: PageReader; floods: RequestLimits | undefined },
) {
  const noted = createRouter();
  noted.use(recordWrites(deps.replicas));
  const api = noted
    .route('/', accountVisitorRoutes(deps))
    .route('/', accountRecoveryRoutes(deps))
    .route('/', twoFactorVisitorRoutes(deps))
    .route('/', passkeyVisitorRoutes(deps))
    .route('/', providerVisitorRoutes(deps))
    .route('/', emailLinkRoutes(deps));
  api.use(
    requireSignedIn(deps),
    limitMembers(deps.floods),
    limitWrites(deps.limits.change),
    queueMemberRequests('writing'),
    queueMemberRequests('searching'),
    queueMemberRequests('reading'),
    routeReads(deps),
  );
  return api
    .route('/', sessionRoutes(deps))
    .route('/', emailAddressRoutes(deps))
    .route('/', accountDeletionRoutes(deps))
    .route('/', dataExportRoutes(deps))
    .route('/', twoFactorRoutes(deps))
    .route('/', passkeyRoutes(deps))
    .route('/', providerRoutes(deps))
    .route('/', feedRoutes(deps))
    .route('/', questionRoutes(deps))
    .route('/', answerRoutes(deps))
    .route('/', replyRoutes(deps))
    .route('/', voteRoutes(deps))
    .route('/', followRoutes(deps))
    .route('/', bookmarkRoutes(deps))
    .route('/', muteRoutes(deps))
    .route('/', moderationRoutes(deps))
    .route('/', removalRoutes(deps))
    .route('/', activityRoutes())
    .route('/', tagRoutes(deps))
    .route('/', searchRoutes(deps))
    .route('/', mentionRoutes(deps))
    .route('/', draftRoutes(deps))
    .route('/', similarRoutes(deps))
    .route('/', notificationRoutes(deps))
    .route('/', notificationPreferenceRoutes(deps))
    .route('/', profileRoutes(deps));
}

/** Bytes of a request's body; an answer of 30,000 characters escaped as JSON stays below. */
const maxBodyBytes = 512 * 1024;

/** Tells the browser from where on it has to listen. */
const sendPosition = (position: () => Position) =>
  createMiddleware<ReplicaPositionEnv>(async (c, next) => {
    // That of the beginning: what happens during the reading may or may not be in it.
    const before = position();
    await next();
    const shown = c.get('replicaPosition');
    if (shown !== null) c.res.headers.set(positionHeader, shown ?? before);
  });

/** Answers of the API belong to one member and one moment, unless their route says how long they may be kept. */
const disableCaching = createMiddleware(async (c, next) => {
  c.header('cache-control', 'no-store');
  await next();
});
