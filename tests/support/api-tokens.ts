import type { ApiScope } from '#shared/integrations/api-tokens.ts';
import { ApiClient, expectOk, type Member, password, type RequestOptions } from './member.ts';

/** A program with an API token of a member, without cookies. */
export class Program extends ApiClient {
  readonly token: string;

  constructor(address: string, token: string) {
    super(address);
    this.token = token;
  }

  override send<Body = unknown>(method: string, path: string, options: RequestOptions = {}) {
    const headers = { ...options.headers, authorization: `Bearer ${this.token}` };
    return super.send<Body>(method, path, { ...options, headers });
  }
}

export type CreatedToken = { id: number; token: string };

export async function createToken(member: Member, scopes: readonly ApiScope[]): Promise<CreatedToken> {
  const draft = { name: 'Script', scopes, expiresInDays: 30, password };
  return expectOk(await member.post<CreatedToken>('/api-tokens', draft));
}

/** Returns a program with a new token of the member. */
export const programOf = async (member: Member, scopes: readonly ApiScope[]): Promise<Program> =>
  new Program(member.address, (await createToken(member, scopes)).token);
