import { newCommunity } from './parley.ts';

/** Starts a Parley with an empty data folder, for all tests of the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const community = await newCommunity();
  process.env['PARLEY_E2E_ADDRESS'] = community.address;
  return community.remove;
}
