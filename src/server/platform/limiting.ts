import type { HttpBindings } from '@hono/node-server';
import { createMiddleware } from 'hono/factory';
import { classOf, type Floods } from './floods.ts';
import type { SignedInEnv, Viewer } from './http.ts';
import { networkAddress } from './network-address.ts';
import type { Settings } from './settings.ts';

export type VisitorLimits = {
  floods: Floods;
  settings: Settings;
  /** Sessions that were found to be good a moment ago; absent where every request asks the database. */
  sessions: { find: (cookie: string) => Viewer | undefined } | undefined;
};

/** Counts requests by their network address until it is known whose they are. */
export function limitVisitors({ floods, settings, sessions }: VisitorLimits) {
  return createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (c, next) => {
    const cookie = c.req.header('cookie');
    // Where none are remembered, nobody can tell members from visitors here: they are counted as who they turn out to be.
    const mayBeMember =
      cookie !== undefined && (sessions === undefined || sessions.find(cookie) !== undefined);
    // A page that asks the API for what is inside it came from no network.
    const isOwn = c.env?.incoming === undefined;
    if (!mayBeMember && !isOwn) floods.takeFromNetwork(networkAddress(c, settings.trustedProxies));
    await next();
  });
}

/** Counts requests of signed-in members, by what they ask for. */
export function limitMembers(floods: Floods | undefined) {
  return createMiddleware<SignedInEnv>(async (c, next) => {
    floods?.take(c.get('viewer'), classOf(c.req.method, c.req.path));
    await next();
  });
}
