import { startCommunity } from './support/community.ts';

/** Starts a server with an empty data directory, and a second node on its database, for all tests of the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const community = await startCommunity();
  const second = await community.addNode();
  process.env['PARLEY_E2E_ADDRESS'] = community.address;
  process.env['PARLEY_E2E_SECOND_ADDRESS'] = second.address;
  process.env['PARLEY_E2E_DATA'] = community.dataDirectory;
  return community.remove;
}
