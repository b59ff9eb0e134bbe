import { createRoute } from '@hono/zod-openapi';
import type { Accounts } from '#server/accounts/accounts.ts';
import type { AskForPassword } from '#server/accounts/own-password.ts';
import { type Deps, json, problems, router } from '#server/platform/http.ts';
import { departure } from '#shared/departure.ts';
import { type FollowDeparture, leave } from './departures.ts';

export type DepartureDeps = {
  accounts: Accounts;
  askForPassword: AskForPassword;
  followDeparture: FollowDeparture | undefined;
};

const depart = createRoute({
  method: 'post',
  path: '/departure',
  summary: 'Delete the own account for good, with what one wrote or without it',
  request: { body: json(departure) },
  responses: { 204: { description: 'The account is gone, and everybody signed out' }, ...problems },
});

export function departureRoutes({
  db,
  accounts,
  askForPassword,
  followDeparture,
}: Pick<Deps, 'db'> & DepartureDeps) {
  return router().openapi(depart, async (c) => {
    const viewer = c.get('viewer');
    const { password, posts } = c.req.valid('json');
    await askForPassword(viewer, { password });
    await leave(db, { viewer, posts, follow: followDeparture });
    for (const cookie of await accounts.signOut(c.req.raw.headers))
      c.header('set-cookie', cookie, { append: true });
    return c.body(null, 204);
  });
}
