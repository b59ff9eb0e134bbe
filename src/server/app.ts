import { serveStatic } from '@hono/node-server/serve-static';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { Logger } from 'pino';
import { type Position, positionHeader } from '#shared/events.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAddresses } from './accounts/address.ts';
import { createAuth } from './accounts/auth.ts';
import { createPasswordCheck } from './accounts/own-password.ts';
import { fullCost, type PasswordCost } from './accounts/password.ts';
import { addressRoutes, type RecoveryDeps, recoveryRoutes } from './accounts/recovery-routes.ts';
import { createResetting } from './accounts/reset.ts';
import { type PasskeyDeps, passkeyRoutes, passkeyVisitorRoutes } from './accounts/passkey-routes.ts';
import { createPasskeys } from './accounts/passkeys.ts';
import { type ProviderDeps, providerRoutes, providerVisitorRoutes } from './accounts/provider-routes.ts';
import { createProviders } from './accounts/providers.ts';
import { createRegistrations } from './accounts/registrations.ts';
import { type AccountDeps, sessionRoutes, signedIn, visitorRoutes } from './accounts/routes.ts';
import { logSecurityEvents } from './accounts/security-events.ts';
import {
  type SecondFactorDeps,
  secondFactorRoutes,
  secondFactorVisitorRoutes,
} from './accounts/second-factor-routes.ts';
import { createSecondFactor } from './accounts/second-factor.ts';
import { createSigningIn } from './accounts/signing-in.ts';
import { activityRoutes } from './activity/routes.ts';
import { answerRoutes } from './answers/routes.ts';
import { removalRoutes } from './care/removal-routes.ts';
import { careRoutes, type CareRoutesDeps } from './care/routes.ts';
import { bookmarkRoutes } from './bookmarks/routes.ts';
import { type DepartureDeps, departureRoutes } from './departures/routes.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { draftRoutes } from './drafts/routes.ts';
import type { Background } from './background.ts';
import { feedRoutes } from './feeds/routes.ts';
import { followRoutes } from './follows/routes.ts';
import type { Kept } from './kept.ts';
import { mentionRoutes } from './mentions/routes.ts';
import { muteRoutes } from './mutes/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { docsRoutes } from './platform/docs.ts';
import type { Database } from './platform/database.ts';
import { answerError, ProblemError } from './platform/errors.ts';
import { memberPages } from './pages/pages.ts';
import { limitBodies } from './platform/bodies.ts';
import { createIdentityProvider } from './platform/identity-provider.ts';
import { type Floods } from './platform/floods.ts';
import { limitChanges, limitMembers, limitVisitors, queueRequests } from './platform/limiting.ts';
import { healthRoutes } from './platform/health.ts';
import { type Deps, router } from './platform/http.ts';
import { type Metrics, metricsRoutes } from './platform/metrics.ts';
import { chooseReading, noteWriters, type ReadingDeps, type ShownEnv } from './platform/replicas/reading.ts';
import type { Replicas } from './platform/replicas/replicas.ts';
import { createPages, type Pages } from './platform/read-models/sending.ts';
import { tellWritten } from './platform/read-models/written.ts';
import { requests } from './platform/requests.ts';
import { lastWorker } from './platform/last-worker.ts';
import { sameOrigin } from './platform/same-origin.ts';
import { securityHeaders } from './platform/security-headers.ts';
import type { Settings } from './platform/settings.ts';
import { createPostingLimits } from './posts/limits.ts';
import { createPreferences } from './preferences/preferences.ts';
import {
  mailLinkRoutes,
  oneClickRoutes,
  preferenceRoutes,
  type PreferenceRoutesDeps,
} from './preferences/routes.ts';
import { createPushing } from './pushing/pushing.ts';
import { profileRoutes } from './profiles/routes.ts';
import { questionRoutes } from './questions/routes.ts';
import { replyRoutes } from './replies/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { similarRoutes } from './similar/routes.ts';
import { topicRoutes } from './topics/routes.ts';
import { voteRoutes } from './votes/routes.ts';

export type AppOptions = {
  db: Database;
  /** The same database on connections for searches alone; absent where they share those of everything else. */
  searching?: Database;
  settings: Settings;
  log: Logger;
  /** The position of the stream of events up to which a reading that begins now is surely right. */
  position?: () => Position;
  /** Whether a balancer may send requests here; absent where nobody asks. */
  isReady?: () => boolean;
  /** What /readyz says beside that. */
  remark?: () => string | null;
  /** What this node tells of itself; absent where nobody asks. */
  metrics?: Metrics | undefined;
  /** Streaming replicas that serve reads. */
  replicas?: Replicas | undefined;
  /** What is kept to answer with; absent where every request asks the database. */
  kept?: Pick<Kept, 'models' | 'sessions'> | undefined;
  /** What asks for mails and pushes; absent where nothing is mailed or pushed. */
  background?:
    | Pick<Background, 'accountMails' | 'askToConfirm' | 'care' | 'followDeparture' | 'pusher'>
    | undefined;
  /** Limits on how many requests are taken; absent where all are. */
  floods?: Floods | undefined;
  /** The built browser part; absent where only the API is served. */
  webFolder?: string;
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
    remark,
    metrics,
    replicas,
    kept,
    background,
    floods,
    webFolder,
  } = options;
  const passwordCost = options.passwordCost ?? fullCost;
  const auth = createAuth(db, settings, passwordCost);
  const preferences = createPreferences({ db, settings, askToConfirm: background?.askToConfirm });
  const mails = background?.accountMails;
  const registrations = createRegistrations({ db, settings, isMailed: mails !== undefined });
  const accounts = createAccounts({
    db,
    auth,
    settings,
    registrations,
    sessions: kept?.sessions,
    onRegistered: preferences.askNewMember,
  });
  const askForPassword = createPasswordCheck(db);
  const resetting = createResetting({ db, settings, mails, passwordCost });
  const addresses = createAddresses({ db, mails, askForPassword });
  logSecurityEvents(db, log);
  const secondFactor = createSecondFactor({ db, settings, askForPassword, passwordCost });
  const signingIn = createSigningIn({ db, auth, settings, secondFactor });
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
  const app = router<{ Variables: object }>();
  app.onError((error, c) => answerError(error, c, log, metrics?.refused));
  app.use(requests({ trustedProxies: settings.trustedProxies, log }));
  if (metrics !== undefined) app.use(metrics.measure);
  app.use(securityHeaders(settings));
  app.route('/', metricsRoutes(metrics));
  if (isReady !== undefined) app.route('/', healthRoutes(isReady, remark));
  app.use('/api/*', sameOrigin(settings), limitBodies(maxBody), uncached);
  if (position !== undefined) app.use('/api/*', told(position));
  app.route('/', oneClickRoutes({ preferences }));
  const pushing = createPushing({ db, pusher: background?.pusher });
  const limits = createPostingLimits(db);
  const pages = createPages(kept?.models);
  if (kept !== undefined) app.use('/api/*', tellWritten(kept.models.written, settings));
  if (floods !== undefined) app.use('/api/*', limitVisitors({ floods, settings, sessions: kept?.sessions }));
  const care = background?.care ?? { mail: undefined, work: undefined };
  const api = createApi({
    db,
    searching: options.searching ?? db,
    settings,
    accounts,
    resetting,
    addresses,
    askForPassword,
    followDeparture: background?.followDeparture,
    limits,
    position,
    replicas,
    preferences,
    pushing,
    pages,
    floods,
    care,
    secondFactor,
    signingIn,
    passkeys,
    providers,
  });
  app.route(
    '/api',
    docsRoutes((document) => api.getOpenAPI31Document(document)),
  );
  app.route('/api', api);
  app.all('/api/*', () => {
    throw new ProblemError('not-found', 'There is nothing at this address.');
  });
  if (webFolder !== undefined) serveWeb(webFolder);
  return app;

  function serveWeb(folder: string) {
    // The build has compressed every file (vite.config.ts).
    const files = { root: folder, precompressed: true };
    app.use('/assets/*', serveStatic({ ...files, onFound: keptForEver }));
    // Pages of an earlier build ask for files that are gone; the page in their place would be taken for them.
    app.all('/assets/*', () => {
      throw new ProblemError('not-found', 'There is nothing at this address.');
    });
    if (!settings.serviceWorker) app.get('/service-worker.js', lastWorker);
    const page = memberPages(folder, (request) => app.fetch(request));
    app.get('/', page);
    app.use('*', serveStatic({ ...files, onFound: revalidated }));
    app.get('*', page, serveStatic({ ...files, path: 'index.html', onFound: revalidated }));
  }
}

/** Names of assets change with their content. */
const keptForEver = (_: string, c: Context) =>
  c.header('cache-control', 'public, max-age=31536000, immutable');
const revalidated = (_: string, c: Context) => c.header('cache-control', 'no-cache');

/** The type of the API, for the typed client in the browser. */
export type Api = ReturnType<typeof createApi>;

/** Every feature's routes, listed by hand. What stands below `signedIn` is for signed-in members only. */
function createApi(
  deps: Deps &
    AccountDeps &
    RecoveryDeps &
    DepartureDeps &
    SecondFactorDeps &
    PasskeyDeps &
    ProviderDeps &
    ReadingDeps &
    PreferenceRoutesDeps &
    CareRoutesDeps & { pages: Pages; floods: Floods | undefined },
) {
  const noted = router();
  noted.use(noteWriters(deps.replicas));
  const api = noted
    .route('/', visitorRoutes(deps))
    .route('/', recoveryRoutes(deps))
    .route('/', secondFactorVisitorRoutes(deps))
    .route('/', passkeyVisitorRoutes(deps))
    .route('/', providerVisitorRoutes(deps))
    .route('/', mailLinkRoutes(deps));
  api.use(
    signedIn(deps),
    limitMembers(deps.floods),
    limitChanges(deps.limits.change),
    queueRequests('writing'),
    queueRequests('searching'),
    queueRequests('reading'),
    chooseReading(deps),
  );
  return api
    .route('/', sessionRoutes(deps))
    .route('/', addressRoutes(deps))
    .route('/', departureRoutes(deps))
    .route('/', downloadRoutes(deps))
    .route('/', secondFactorRoutes(deps))
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
    .route('/', careRoutes(deps))
    .route('/', removalRoutes(deps))
    .route('/', activityRoutes())
    .route('/', topicRoutes(deps))
    .route('/', searchRoutes(deps))
    .route('/', mentionRoutes(deps))
    .route('/', draftRoutes(deps))
    .route('/', similarRoutes(deps))
    .route('/', notificationRoutes(deps))
    .route('/', preferenceRoutes(deps))
    .route('/', profileRoutes(deps));
}

/** Bytes of a request's body; an answer of 30,000 characters escaped as JSON stays below. */
const maxBody = 512 * 1024;

/** Tells the browser from where on it has to listen. */
const told = (position: () => Position) =>
  createMiddleware<ShownEnv>(async (c, next) => {
    // That of the beginning: what happens during the reading may or may not be in it.
    const before = position();
    await next();
    const shown = c.get('shown');
    if (shown !== null) c.res.headers.set(positionHeader, shown ?? before);
  });

/** Answers of the API belong to one member and one moment, unless their route says how long they may be kept. */
const uncached = createMiddleware(async (c, next) => {
  c.header('cache-control', 'no-store');
  await next();
});
