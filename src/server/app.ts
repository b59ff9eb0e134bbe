import {
  createAccounts,
  createAuth,
  createEmailAddresses,
  createJoining,
  createPasskeys,
  createPasswordChange,
  createPasswordCheck,
  createPasswordResets,
  createPasswordSignIn,
  createProviders,
  createRegistrations,
  createSignIn,
  createSignInMethods,
  createSignInProviders,
  createTwoFactor,
  defaultPasswordCost,
  logSecurityEvents,
  noteConfirmedEmail,
  type PasswordCost,
} from './identity/index.ts';
import { createRouter, type ReplicaPositionEnv } from './core/http.ts';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context, MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import { type Position, positionHeader } from '#shared/core/events.ts';
import type { EmptySearchCounter } from './discovery/index.ts';
import { createWriteLimits, serveUploads, uploadsPath } from './posts/index.ts';
import { serveSitePictures, sitePicturesPath } from './admin/index.ts';
import {
  describeApi,
  createApiTokens,
  mcpPath,
  mcpRoutes,
  oembedPath,
  widgetDataPath,
  widgetScriptPath,
  previewPicturePattern,
  publicFileRoutes,
  createWebhookHosts,
  findEmailSender,
} from './integrations/index.ts';
import type { BackgroundJobs } from './jobs.ts';
import type { NodeCaches } from './node-caches.ts';
import {
  createNotificationPreferences,
  createPushSubscriptions,
  oneClickUnsubscribeRoutes,
} from './notifications/index.ts';
import { apiDocsRoutes } from './core/api-docs.ts';
import type { Database } from './core/database.ts';
import { ProblemError, toErrorResponse } from './core/errors.ts';
import type { PictureStore } from './core/config.ts';
import type { ObjectStore } from './core/object-store.ts';
import { type FetchApi, redirectImportedPosts, renderPages } from './pages.ts';
import type { RequestLimits } from './core/request-limits.ts';
import { limitBodySize, limitPublicSearches, limitVisitors } from './core/request-limits-middleware.ts';
import { healthRoutes } from './core/health.ts';
import { type Metrics, metricsRoutes } from './core/metrics.ts';
import { warnOfMissingProxies } from './core/network-address.ts';
import type { Replicas } from './postgres/index.ts';
import { createDocumentSender } from './core/response-cache-http.ts';
import { setWritesCookie } from './core/read-your-writes.ts';
import { trackRequests } from './core/request-id.ts';
import { serveServiceWorkerRemoval } from './core/web-build.ts';
import type { RecentPages } from './core/recent-pages.ts';
import type { SiteSettings } from './core/site-settings.ts';
import { createSiteFiles } from './site-files.ts';
import { requireSameOrigin } from './core/same-origin.ts';
import { securityHeaders } from './core/security-headers.ts';
import type { OperatorSettings } from './core/operator-settings.ts';
import { createApi } from './api.ts';

export type AppOptions = {
  db: Database;
  /** The settings that change while Parley runs. */
  siteSettings: SiteSettings;
  /** The same database with a separate connection pool for searches. Default: searches use `db`. */
  searchDb?: Database;
  settings: OperatorSettings;
  log: Logger;
  /** Position of the event stream that a read starting now includes at least. */
  position?: () => Position;
  /** Whether a load balancer may send requests here. Absent without health checks. */
  isReady?: () => boolean;
  /** A warning that /readyz adds to its response. */
  healthWarning?: () => string | null;
  /** Metrics of this node. Absent if none are collected. */
  metrics?: Metrics | undefined;
  /** Streaming replicas that serve reads. */
  replicas?: Replicas | undefined;
  /** The caches of documents and sessions. Absent: every request queries the database. */
  caches?: Pick<NodeCaches, 'responses' | 'sessions'> | undefined;
  /** The background jobs that requests queue. Absent: no emails and push messages. */
  background?:
    | Pick<
        BackgroundJobs,
        | 'accountEmails'
        | 'emailSending'
        | 'queueConfirmationEmail'
        | 'moderation'
        | 'queueAccountDeletion'
        | 'queueAccountMerge'
        | 'queueFormerName'
        | 'webPushSender'
        | 'wakeWebhooks'
      >
    | undefined;
  /** Whether this node makes scheduled backups. */
  hasBackups?: boolean;
  /** Whether this node makes scheduled exports. */
  hasExports?: boolean;
  /** Counts searches without results. Absent: they are not counted. */
  emptySearches?: EmptySearchCounter | undefined;
  /** The bucket for the files of pictures. Absent: they are in the database. */
  objectStore?: ObjectStore | undefined;
  /** Where the files of pictures belong. Default: the database. */
  pictureStore?: PictureStore;
  /** Pages of visitors that are sent again. Absent: every request for a page asks the API. */
  recentPages?: RecentPages | undefined;
  /** Rate limits and load shedding. Absent: all requests are accepted. */
  requestLimits?: RequestLimits | undefined;
  /** Directory of the web build. Absent: only the API is served. */
  webDirectory?: string;
  /** Cost of hashing a password. Tests about other things lower it. */
  passwordCost?: PasswordCost;
};

/** Creates the whole HTTP application: the API below /api, and the web app for every other path. */
export function createApp(options: AppOptions) {
  const {
    db,
    siteSettings,
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
    objectStore,
  } = options;
  const passwordCost = options.passwordCost ?? defaultPasswordCost;
  const auth = createAuth(db, settings, passwordCost);
  const preferences = createNotificationPreferences({
    noteConfirmedEmail,
    db,
    settings,
    queueConfirmationEmail: background?.queueConfirmationEmail,
  });
  const accountEmails = background?.accountEmails;
  const registrations = createRegistrations({ db, settings, canSendEmail: accountEmails !== undefined });
  const joining = createJoining({ db, siteSettings });
  const passwordSignIn = createPasswordSignIn({ settings, siteSettings });
  const accounts = createAccounts({
    db,
    auth,
    settings,
    passwordSignIn,
    joining,
    registrations,
    sessionCache: caches?.sessions,
    onRegistered: preferences.sendConfirmationToNewMember,
  });
  const requirePassword = createPasswordCheck(db);
  const apiTokens = createApiTokens({ db, siteSettings, requirePassword });
  const passwordResets = createPasswordResets({
    db,
    settings,
    passwordSignIn,
    emails: accountEmails,
    passwordCost,
  });
  const changePassword = createPasswordChange({
    db,
    auth,
    settings,
    passwordSignIn,
    requirePassword,
    passwordCost,
  });
  const emailAddresses = createEmailAddresses({
    db,
    settings,
    emails: accountEmails,
    joining,
    passwordSignIn,
    requirePassword,
  });
  logSecurityEvents(db, log);
  const twoFactor = createTwoFactor({ db, settings, siteSettings, requirePassword, passwordCost });
  const signingIn = createSignIn({ db, auth, settings, twoFactor });
  const signInProviders = createSignInProviders({ db, settings, log });
  const signInMethods = createSignInMethods({
    passwordSignIn,
    listProviderIds: signInProviders.listAccountProviderIds,
  });
  const passkeys = createPasskeys({
    db,
    settings,
    siteSettings,
    requirePassword,
    signingIn,
    signInMethods,
  });
  const providers = createProviders({
    db,
    auth,
    settings,
    joining,
    accounts,
    signingIn,
    requirePassword,
    signInMethods,
    registrations,
    signInProviders,
    onUnconfirmed: preferences.sendConfirmationToNewMember,
  });
  const app = createRouter<{ Variables: object }>();
  app.onError((error, c) => toErrorResponse(error, c, log, metrics?.countRejected));
  app.use(
    trackRequests({ trustedProxies: settings.trustedProxies, log }),
    warnOfMissingProxies(settings, log),
  );
  if (metrics !== undefined) app.use(metrics.measure);
  app.use(securityHeaders(settings));
  app.route('/', metricsRoutes(metrics));
  if (isReady !== undefined) app.route('/', healthRoutes(isReady, healthWarning));
  app.use('/api/*', requireSameOrigin(settings), limitBodySize(maxBodyBytes), disableCaching);
  if (position !== undefined) app.use('/api/*', sendPosition(position));
  app.route('/', oneClickUnsubscribeRoutes({ preferences }));
  const pushSubscriptions = createPushSubscriptions({ db, pusher: background?.webPushSender });
  const limits = createWriteLimits(db);
  if (caches !== undefined) app.use('/api/*', setWritesCookie(caches.responses.writes, settings));
  const visitorLimits = { requestLimits, settings, sessions: caches?.sessions };
  app.use('/api/*', limitVisitors(visitorLimits, { hasViewerLimits: true }));
  const limitOutsideApi = limitVisitors(visitorLimits, { hasViewerLimits: false });
  const moderation = background?.moderation ?? { queueEmail: undefined, queueWork: undefined };
  const api = createApi({
    db,
    objectStore,
    siteSettings,
    searchDb: options.searchDb ?? db,
    emptySearches: options.emptySearches,
    settings,
    accounts,
    findTokenViewer: async (c) =>
      (await findEmailSender(c, { db, secret: settings.secret })) ?? apiTokens.findViewer(c),
    apiTokens,
    passwordSignIn,
    changePassword,
    passwordResets,
    emailAddresses,
    requirePassword,
    queueAccountDeletion: background?.queueAccountDeletion,
    queueAccountMerge: background?.queueAccountMerge,
    queueFormerName: background?.queueFormerName,
    limits,
    position,
    replicas,
    preferences,
    pushSubscriptions,
    sendDocument: createDocumentSender(caches?.responses),
    requestLimits,
    moderation,
    accountEmails,
    emailSending: background?.emailSending ?? null,
    fetchApi: (request) => app.fetch(request),
    webhookHosts: createWebhookHosts(settings.webhookHosts),
    wakeWebhooks: background?.wakeWebhooks,
    twoFactor,
    signInMethods,
    signInProviders,
    signingIn,
    passkeys,
    joining,
    providers,
    system: {
      hasBackups: options.hasBackups ?? false,
      hasExports: options.hasExports ?? false,
      hasEmail: accountEmails !== undefined,
      pictureStore: options.pictureStore ?? 'database',
    },
  });
  app.route(
    '/api',
    apiDocsRoutes((document) => describeApi(() => api.getOpenAPI31Document(document))),
  );
  app.route('/api', api);
  app.all('/api/*', () => {
    throw new ProblemError('page-not-found');
  });
  const viewerOf = async (c: Context) =>
    (await apiTokens.findFileViewer(c)) ?? (await accounts.viewer(c.req.raw.headers))?.viewer ?? null;
  app.get(
    `${uploadsPath}/*`,
    limitOutsideApi,
    serveUploads({ db, settings, siteSettings, objectStore }, viewerOf),
  );
  app.on(
    'GET',
    [
      '/feeds/*',
      '/sitemaps/*',
      previewPicturePattern,
      oembedPath,
      widgetScriptPath,
      widgetDataPath,
      sitePicturesPath,
    ],
    limitOutsideApi,
  );
  app.get(
    widgetDataPath,
    limitPublicSearches({ requestLimits, settings }, ({ related }) => related !== undefined),
  );
  app.get(sitePicturesPath, serveSitePictures({ db }));
  app.use(mcpPath, requireSameOrigin(settings), limitBodySize(maxBodyBytes), disableCaching, limitOutsideApi);
  app.route(
    '/',
    mcpRoutes({ db, settings, siteSettings, apiTokens, fetchApi: (request) => app.fetch(request), log }),
  );
  app.route('/', publicFileRoutes({ db, settings, siteSettings }));
  if (webDirectory !== undefined) serveWeb(webDirectory);
  return app;

  function serveWeb(directory: string) {
    // The build has compressed every file (vite.config.ts).
    const files = { root: directory, precompressed: true };
    app.use('/assets/*', serveStatic({ ...files, onFound: cacheImmutable }));
    // Pages of an earlier build can request deleted files. A 404 keeps index.html from being served instead of a
    // script.
    app.all('/assets/*', () => {
      throw new ProblemError('page-not-found');
    });
    if (!settings.hasServiceWorker) app.get('/service-worker.js', serveServiceWorkerRemoval);
    const fetchApi: FetchApi = (request, env) => app.fetch(request, env);
    const html = { directory, log };
    const page = renderPages(html, fetchApi, {
      db,
      settings,
      siteSettings,
      recentPages: options.recentPages,
    });
    const { sendManifest, sendShell } = createSiteFiles(directory, siteSettings);
    app.get('/', limitOutsideApi, page);
    app.get('/index.html', sendShell);
    app.get('/manifest.webmanifest', sendManifest);
    // Looking for a file takes longer than sending a page.
    app.get('/icons/*', serveStatic({ ...files, onFound: cacheRevalidated }));
    app.get('/:file{[\\w-]+\\.[a-z]+}', serveStatic({ ...files, onFound: cacheRevalidated }));
    const redirect =
      settings.importedSite === null ? continueRequest : redirectImportedPosts(fetchApi, { siteSettings });
    app.get('*', limitOutsideApi, redirect, page, sendShell);
  }
}

const continueRequest: MiddlewareHandler = (_, next) => next();

/** Names of assets change with their content. */
const cacheImmutable = (_: string, c: Context) =>
  c.header('cache-control', 'public, max-age=31536000, immutable');
const cacheRevalidated = (_: string, c: Context) => c.header('cache-control', 'no-cache');

/** Bytes of a request body; an answer of 30,000 characters escaped as JSON is smaller. */
const maxBodyBytes = 512 * 1024;

/** Sends the position of the event stream from which the browser must listen. */
const sendPosition = (position: () => Position) =>
  createMiddleware<ReplicaPositionEnv>(async (c, next) => {
    // The position before the read: later events may or may not be in the response.
    const before = position();
    await next();
    const readPosition = c.get('replicaPosition');
    if (readPosition !== null) c.res.headers.set(positionHeader, readPosition ?? before);
  });

/** Responses of the API are for one viewer and must not be cached, unless their route sets another header. */
const disableCaching = createMiddleware(async (c, next) => {
  c.header('cache-control', 'no-store');
  await next();
});
