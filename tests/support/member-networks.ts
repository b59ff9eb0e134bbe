import type { SessionState } from '#shared/identity/accounts.ts';
import { ApiClient, expectOk, Member, password } from './member.ts';

let registered = 0;

/** Registers a member through a proxy that forwards `network` as the client address. The server trusts one proxy. */
export async function registerFromNetwork(address: string, network: string, name = 'Guest'): Promise<Member> {
  const email = `from${++registered}@example.org`;
  const visitor = new ApiClient(address);
  const state = expectOk(
    await visitor.send<SessionState>('POST', '/members', {
      body: { displayName: name, email, password },
      headers: { 'x-forwarded-for': network },
    }),
  );
  if (state.member === null) throw new Error('registration did not sign in');
  const member = new Member(address, state.member);
  member.cookies = visitor.cookies;
  return member;
}

/** Registers several, one after the other. */
export async function registerManyFromNetwork(
  address: string,
  network: string,
  count: number,
): Promise<Member[]> {
  const members: Member[] = [];
  for (let n = 0; n < count; n++) members.push(await registerFromNetwork(address, network, `Guest ${n}`));
  return members;
}
