import { type ComponentType, createContext, type ReactNode, use } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { isPageRendered } from './hydration.ts';
import { loadOrReload } from './lazy.ts';
import { getPageKey, getSiteOrigin, parseSearch } from './paths.ts';
import {
  readPosition,
  restorePosition,
  savePosition,
  stopRestoring,
  watchPositions,
} from './scroll-positions.ts';

// The client-side router. docs/decisions/135 explains why it is not a library.

/** An address of this site. */
export type AppLocation = {
  /** Path, query and hash: '/search?q=rust#results'. */
  href: string;
  pathname: string;
  /** The query with '?', or ''. */
  search: string;
  /** Without '#', percent-encoded. */
  hash: string;
  state: EntryState;
};

/** The state of an entry of the browser's history. */
export type EntryState = {
  /** Identifies the entry. */
  key: string;
  /** The address of the entry before it, if a link led from there to this entry. */
  previous?: string | undefined;
  /** Whether the session ended on the page before /login (app/MemberLayout.tsx). */
  sessionEnded?: boolean;
};

/** The parameters of a path by name. A parameter that the path does not have is missing. */
export type Params = Readonly<Record<string, string | undefined>>;

/** What the functions of a route are called with. */
export type RouteRequest = {
  client: QueryClient;
  location: AppLocation;
  params: Params;
  /** The parsed query. */
  search: Readonly<Record<string, string>>;
  /** Whether the page is only loaded ahead: its link may never be followed. */
  isPreload: boolean;
};

type RoutePart = {
  /** Returns the path to redirect to; undefined if the page may be shown. An error that it throws is shown. */
  guard?: (request: RouteRequest) => Promise<string | undefined>;
  /** Loads data. The page is shown after the promise resolves. */
  data?: (request: RouteRequest) => Promise<void> | void;
};

export type Layout = RoutePart & { load: () => Promise<ComponentType<{ children: ReactNode }>> };

export type Route = RoutePart & {
  /** A path with parameters: '/question/:id/:slug?'. '*' matches everything. */
  path: string;
  /** Absent: the page has none. */
  layout?: Layout;
  load: () => Promise<ComponentType>;
  /** Addresses with the same key are of the same page: it keeps its state. Absent: all of this route. */
  key?: (params: Params) => string;
};

/** What is on the screen. */
export type View = {
  location: AppLocation;
  params: Params;
  /** Null if the error is shown without it, or if the page has none. */
  layout: ComponentType<{ children: ReactNode }> | null;
  page: { component: ComponentType; key: string } | { error: unknown };
  navigation: Navigation;
};

export type NavigateOptions = {
  /** Replaces the current entry of the history. */
  replace?: boolean | undefined;
  /** Scrolls to the top or to the hash; true if absent. */
  resetScroll?: boolean | undefined;
  state?: Pick<EntryState, 'sessionEnded'> | undefined;
};

type Navigation = {
  action: 'push' | 'replace' | 'pop' | 'reload';
  resetScroll: boolean;
  from?: AppLocation | undefined;
  /** Called when the page is rendered, or when another navigation has taken its place. */
  resolve: () => void;
};

export type NavigationListener = (change: {
  from: AppLocation;
  to: AppLocation;
  action: Navigation['action'];
}) => void;

/** Redirects of one navigation: more are a loop. */
const maxRedirects = 10;

/**
 * Shows the page of an address: it matches the path, checks whether the viewer may see the page, loads its code and
 * data, and then publishes a view, which app/RouterView.tsx renders.
 */
export class Router {
  /** The address of the last navigation, whose page may still load. */
  location: AppLocation;
  view: View | undefined;
  /** Resolves with the first view. */
  readonly firstView: Promise<View>;
  readonly #routes: readonly { route: Route; pattern: RegExp }[];
  readonly #client: QueryClient;
  readonly #isBrowser: boolean;
  readonly #renderedListeners = new Set<NavigationListener>();
  readonly #navigatedListeners = new Set<NavigationListener>();
  readonly #changeListeners = new Set<() => void>();
  #shown: View | undefined;
  /** The navigation whose page is not rendered yet. */
  #pending: Navigation | undefined;
  #resolveFirst: (view: View) => void = () => {};

  /** @param options.start the address of the page, on the server. Absent: that of the browser. */
  constructor(options: { routes: readonly Route[]; client: QueryClient; start?: string }) {
    this.#routes = options.routes.map((route) => ({ route, pattern: toPattern(route.path) }));
    this.#client = options.client;
    this.#isBrowser = options.start === undefined;
    this.firstView = new Promise((resolve) => (this.#resolveFirst = resolve));
    this.location = this.#isBrowser ? readLocation() : parseLocation(options.start ?? '/', { key: '' });
    if (!this.#isBrowser) return;
    watchPositions(() => this.#shown?.location.state.key);
    window.addEventListener('popstate', () => this.#followHistory());
  }

  /** Whether a page is being loaded. */
  get isLoading(): boolean {
    // While it is rendered, or hydrated, it is loaded already.
    return this.#pending !== undefined && this.#pending !== this.view?.navigation;
  }

  /** Loads the first page. Resolves when there is a view; an error is part of it. */
  async load(): Promise<void> {
    void this.#show({ action: 'reload', resetScroll: true });
    await this.firstView;
  }

  /**
   * Goes to an address of this site. Resolves when its page is rendered, or when another navigation has taken its place.
   */
  navigate(
    href: string,
    { replace = false, resetScroll = true, state }: NavigateOptions = {},
  ): Promise<void> {
    const from = this.location;
    // The address that is shown is not added to the history again.
    const isSame = parseLocation(href, from.state).href === from.href;
    const isReplaced = replace || isSame;
    const { key, previous } = isReplaced ? from.state : { key: createKey(), previous: from.href };
    this.#savePosition();
    this.location = parseLocation(href, { ...state, key, previous });
    if (isReplaced) history.replaceState(this.location.state, '', this.location.href);
    else history.pushState(this.location.state, '', this.location.href);
    return this.#show({ action: isReplaced ? 'replace' : 'push', resetScroll }, from);
  }

  /** Changes a part of the address. The page stays as it is. */
  replaceAddress(parts: { pathname?: string; search?: string }): void {
    // Another page is being opened.
    if (this.view !== undefined && !isSamePage(this.location, this.view.location)) return;
    const { pathname, search, hash, state } = { ...this.location, ...parts };
    const href = pathname + search + (hash === '' ? '' : `#${hash}`);
    void this.navigate(href, { replace: true, resetScroll: false, state });
  }

  /** Loads the current page again, for example after an error. */
  reload(): Promise<void> {
    return this.#show({ action: 'reload', resetScroll: false });
  }

  /** Loads code and data of a page that is probably opened next. */
  preload(href: string): void {
    // Opening the page tries again.
    preloadPage(this.#match(parseLocation(href, this.location.state), true)).catch(() => {});
  }

  /** Called after the address has changed, before the page is loaded. Returns a function that ends the subscription. */
  onNavigated(listener: NavigationListener): () => void {
    return addTo(this.#navigatedListeners, listener);
  }

  /** Called after another page than the first has been rendered. */
  onRendered(listener: NavigationListener): () => void {
    return addTo(this.#renderedListeners, listener);
  }

  /** Called when `view` or `isLoading` has changed. */
  onChange(listener: () => void): () => void {
    return addTo(this.#changeListeners, listener);
  }

  /** Called by the component that renders the view, before the browser paints it. */
  finishRendering(view: View): void {
    if (view === this.#shown) return;
    const shown = this.#shown?.location;
    this.#shown = view;
    const { action, resetScroll, resolve } = view.navigation;
    // The page can still be shown, when a reader comes back from another one that was loading.
    const from = shown && isSamePage(shown, view.location) ? (view.navigation.from ?? shown) : shown;
    if (this.#pending === view.navigation) this.#pending = undefined;
    if (resetScroll) scrollTo(view.location, { isFirst: from === undefined, isPop: action === 'pop' });
    if (from !== undefined)
      for (const listener of this.#renderedListeners) listener({ from, to: view.location, action });
    this.#notify();
    resolve();
  }

  #followHistory(): void {
    const from = this.location;
    this.#savePosition();
    this.location = readLocation();
    void this.#show({ action: 'pop', resetScroll: true }, from);
  }

  /** Loads the page of `location` and publishes its view. */
  #show(how: Omit<Navigation, 'resolve' | 'from'>, from?: AppLocation): Promise<void> {
    this.#pending?.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const navigation = { ...how, from, resolve };
    this.#pending = navigation;
    if (from !== undefined)
      for (const listener of this.#navigatedListeners)
        listener({ from, to: this.location, action: how.action });
    this.#notify();
    void this.#publish(navigation);
    return promise;
  }

  async #publish(navigation: Navigation): Promise<void> {
    const content = await this.#load(() => this.#pending === navigation);
    if (content === undefined) return;
    this.view = { ...content, navigation };
    this.#resolveFirst(this.view);
    this.#notify();
  }

  /** Returns what to show, after redirects. Undefined if another navigation has begun. */
  async #load(isCurrent: () => boolean): Promise<Content | undefined> {
    for (let redirects = 0; ; redirects++) {
      const content = await loadContent(this.#match(this.location, false));
      if (!isCurrent()) return undefined;
      if (typeof content !== 'string') return content;
      if (redirects === maxRedirects)
        return toFailure(
          this.#match(this.location, false).request,
          new Error(`Too many redirects, the last to ${content}.`),
        );
      const { key, previous } = this.location.state;
      this.location = parseLocation(content, { key, previous });
      if (this.#isBrowser) history.replaceState(this.location.state, '', this.location.href);
    }
  }

  #match(location: AppLocation, isPreload: boolean): MatchedRoute {
    for (const { route, pattern } of this.#routes) {
      const params = matchPath(pattern, location.pathname);
      if (params === null) continue;
      const search = parseSearch(location.search);
      return { route, request: { client: this.#client, location, params, search, isPreload } };
    }
    throw new Error(`No route matches ${location.pathname}.`);
  }

  #savePosition(): void {
    const key = this.#shown?.location.state.key;
    if (key !== undefined) savePosition(key);
  }

  #notify(): void {
    for (const listener of this.#changeListeners) listener();
  }
}

type MatchedRoute = { route: Route; request: RouteRequest };

type Content = Omit<View, 'navigation'>;

/** Returns what to show for an address, or the path to redirect to. */
async function loadContent({ route, request }: MatchedRoute): Promise<Content | string> {
  try {
    const redirect = (await route.layout?.guard?.(request)) ?? (await route.guard?.(request));
    if (redirect !== undefined) return redirect;
  } catch (error) {
    return toFailure(request, error);
  }
  const [layout, component] = await Promise.allSettled([
    route.layout === undefined ? null : loadOrReload(route.layout.load),
    loadOrReload(async () => {
      const [component] = await Promise.all([loadComponent(route), loadData(route, request)]);
      return component;
    }),
  ]);
  if (layout.status === 'rejected') return toFailure(request, layout.reason);
  const { location, params } = request;
  const page =
    component.status === 'rejected'
      ? { error: component.reason as unknown }
      : { component: component.value, key: `${route.path} ${route.key?.(params) ?? ''}` };
  return { location, params, layout: layout.value, page };
}

function toFailure({ location, params }: RouteRequest, error: unknown): Content {
  return { location, params, layout: null, page: { error } };
}

/** Loads what the viewer gets without a redirect. */
async function preloadPage({ route, request }: MatchedRoute): Promise<void> {
  const redirect = await route.layout?.guard?.(request);
  if (redirect === undefined)
    await Promise.all([route.layout?.load(), loadComponent(route), loadData(route, request)]);
}

/** React keeps the state of a page only while its component is the same one. */
const loadedComponents = new WeakMap<Route, ComponentType>();

async function loadComponent(route: Route): Promise<ComponentType> {
  const loaded = loadedComponents.get(route) ?? (await route.load());
  // Another call may have been faster.
  const component = loadedComponents.get(route) ?? loaded;
  loadedComponents.set(route, component);
  return component;
}

async function loadData({ layout, data }: Route, request: RouteRequest): Promise<void> {
  await Promise.all([layout?.data?.(request), data?.(request)]);
}

/** '/question/:id/:slug?' matches '/question/5' and '/question/5/why-is-it'. */
function toPattern(path: string): RegExp {
  if (path === '*') return /^/u;
  const source = path.replaceAll(/\/:(\w+)(\??)/gu, (_, name: string, optional: string) =>
    optional === '' ? `/(?<${name}>[^/]+)` : `(?:/(?<${name}>[^/]+))?`,
  );
  return new RegExp(`^${source}$`, 'u');
}

/** Null if the path does not match, or if a parameter is not encoded correctly. */
function matchPath(pattern: RegExp, path: string): Params | null {
  const match = pattern.exec(path);
  if (match === null) return null;
  try {
    return Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, text]) => [name, text && decodeURIComponent(text)]),
    );
  } catch {
    return null;
  }
}

/** Without slashes at the end of the path. */
function parseLocation(href: string, state: EntryState): AppLocation {
  const url = new URL(href, getSiteOrigin());
  // Browsers read a path with two slashes at the beginning as a host.
  const pathname = `/${url.pathname.replaceAll(/^\/+|\/+$/gu, '')}`;
  return {
    href: pathname + url.search + url.hash,
    pathname,
    search: url.search,
    hash: url.hash.slice(1),
    state,
  };
}

/** The address in the browser. An entry that the browser made itself gets a key. */
function readLocation(): AppLocation {
  const stored = history.state as Partial<EntryState> | null;
  const state = { ...stored, key: stored?.key ?? createKey() };
  if (stored?.key === undefined) history.replaceState(state, '');
  return parseLocation(location.href, state);
}

function createKey(): string {
  return Math.random().toString(36).slice(2);
}

/**
 * Scrolls to where the page was left, to the hash or to the top. The browser has scrolled a page itself that the server
 * has rendered.
 */
function scrollTo(
  { hash, state }: AppLocation,
  { isFirst, isPop }: { isFirst: boolean; isPop: boolean },
): void {
  const position = isPop || isFirst ? readPosition(state.key) : undefined;
  if (isFirst && isPageRendered()) return;
  stopRestoring();
  if (position !== undefined) restorePosition(position);
  else if (hash !== '') document.getElementById(decodeHash(hash))?.scrollIntoView();
  else if (!isFirst) window.scrollTo({ top: 0, behavior: 'instant' });
}

function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}

function addTo<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const RouterContext = createContext<Router | null>(null);
export const LocationContext = createContext<Pick<View, 'location' | 'params'> | null>(null);

export function useRouter(): Router {
  const router = use(RouterContext);
  if (router === null) throw new Error('The component is not inside RouterView.');
  return router;
}

/** The address of the page on the screen. */
export function useLocation(): AppLocation {
  return useView().location;
}

/** A parameter of the path of the page, such as 'id'; '' if the path does not have it. */
export function useParam(name: string): string {
  return useView().params[name] ?? '';
}

/** The query of the page, as `parse` understands it. */
export function usePageSearch<Search>(parse: (search: Record<string, unknown>) => Search): Search {
  return parse(parseSearch(useView().location.search));
}

function useView() {
  const view = use(LocationContext);
  if (view === null) throw new Error('The component is not inside RouterView.');
  return view;
}

/** Whether both addresses are of the same page. */
export function isSamePage(one: AppLocation, other: AppLocation): boolean {
  return getPageKey(one.pathname) === getPageKey(other.pathname);
}
