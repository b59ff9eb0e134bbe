import { request } from '@playwright/test';
import { runCommand } from '#tests/support/command.ts';
import { startCommunity } from './support/community.ts';
import { newMember, registerMember } from './support/members.ts';

/**
 * Starts a server with an empty data directory, and a second node on its database, for all tests of the run. Its admin
 * gives roles to members of the tests.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const community = await startCommunity();
  const second = await community.addNode();
  process.env['PARLEY_E2E_ADDRESS'] = community.address;
  process.env['PARLEY_E2E_SECOND_ADDRESS'] = second.address;
  process.env['PARLEY_E2E_DATA'] = community.dataDirectory;
  const admin = await request.newContext({ baseURL: community.address });
  const { email } = await registerMember(admin, newMember('Wilma Warden'));
  await runCommand(community.dataDirectory, 'member', 'role', email, 'admin');
  process.env['PARLEY_E2E_ADMIN'] = JSON.stringify(await admin.storageState());
  await admin.dispose();
  return community.remove;
}
