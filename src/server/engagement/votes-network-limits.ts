import type { PostKind } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { isLoopbackNetwork } from '#server/core/network-address.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { isNewMember, type VotedPost, type VoterRow } from './votes-queries.ts';

/** Votes that new members who registered from one network have together (docs/product.md 17.5). */
const maxVotes = { onPost: 5, onPostsOfAuthorInNetwork: 10 } as const;

/** A new vote that may count towards the limits. */
type VoteCandidate = { post: VotedPost; voterId: number };

/**
 * Limits votes among new members of one network: on one post, and on all posts of an author who registered from the
 * same network (docs/product.md 17.5). shared/core/limits.ts defines how long a member is new.
 */
export class NetworkVoteLimits {
  readonly #networkOf: ReadonlyMap<number, string>;
  readonly #onPost = new Map<string, number>();
  readonly #onAuthor = new Map<string, number>();

  private constructor(networkOf: ReadonlyMap<number, string>) {
    this.#networkOf = networkOf;
  }

  /** Loads the counts for locked posts. If no voter is new, this runs no query. */
  static async load(
    tx: Tx,
    {
      kind,
      candidates,
      voters,
    }: { kind: PostKind; candidates: readonly VoteCandidate[]; voters: readonly VoterRow[] },
  ): Promise<NetworkVoteLimits> {
    const limits = new NetworkVoteLimits(mapNetworks(voters));
    const counted = candidates.filter(({ voterId }) => limits.#networkOf.has(voterId));
    if (counted.length === 0) return limits;
    // Serializes votes on several posts of one author. The posts are already locked, and networks are locked in order,
    // so no deadlock occurs.
    await lockNetworks(tx, [...new Set(limits.#networkOf.values())].toSorted());
    for (const { post, voterId } of counted) {
      const network = limits.#networkOf.get(voterId) ?? '';
      const onPost = keyOf(network, post.id);
      if (!limits.#onPost.has(onPost))
        limits.#onPost.set(onPost, await countVotesOnPost(tx, { network, kind, id: post.id }));
      const authorId = post.author_id;
      if (authorId === null) continue;
      const onAuthor = keyOf(network, authorId);
      if (limits.#onAuthor.has(onAuthor)) continue;
      const count = await countVotesOnAuthor(tx, { network, authorId });
      if (count !== null) limits.#onAuthor.set(onAuthor, count);
    }
    return limits;
  }

  /** Counts one more vote. Returns the error if it is refused, otherwise null. */
  consume({ post, voterId }: VoteCandidate): ProblemError | null {
    const network = this.#networkOf.get(voterId);
    if (network === undefined || voterId === post.author_id) return null;
    const onPost = keyOf(network, post.id);
    const onAuthor = keyOf(network, post.author_id);
    const votes = this.#onPost.get(onPost) ?? 0;
    const forAuthor = this.#onAuthor.get(onAuthor);
    if (votes >= maxVotes.onPost || (forAuthor ?? 0) >= maxVotes.onPostsOfAuthorInNetwork)
      return createLimitError();
    this.#onPost.set(onPost, votes + 1);
    if (forAuthor !== undefined) this.#onAuthor.set(onAuthor, forAuthor + 1);
    return null;
  }
}

const createLimitError = () =>
  new ProblemError('network-vote-limit', { params: { days: serverLimits.newMemberDays } });

/** @param id of a post of the batch's kind, or of an author */
const keyOf = (network: string, id: number | null) => `${network} ${id}`;

function mapNetworks(voters: readonly VoterRow[]): ReadonlyMap<number, string> {
  const networkOf = new Map<number, string>();
  for (const { memberId, network } of voters)
    if (network !== null && !isLoopbackNetwork(network)) networkOf.set(memberId, network);
  return networkOf;
}

async function lockNetworks(tx: Tx, networks: readonly string[]): Promise<void> {
  for (const network of networks)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`votes ${network}`}, 0))`.execute(tx);
}

/** Counts the votes on a post that count towards the limit. The author's own vote does not. */
async function countVotesOnPost(
  tx: Tx,
  { network, kind, id }: { network: string; kind: PostKind; id: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(kind)} post
    join vote on vote.${sql.ref(`${kind}_id`)} = post.id and vote.member_id is distinct from post.author_id
    join registration on registration.member_id = vote.member_id and network = ${network} and ${isNewMember}
    where post.id = ${id}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * Counts these votes on all posts of an author, up to the limit; null if the author did not register from the network.
 */
async function countVotesOnAuthor(
  tx: Tx,
  { network, authorId }: { network: string; authorId: number },
): Promise<number | null> {
  const { rows: author } = await sql`
    select from registration where member_id = ${authorId} and network = ${network}`.execute(tx);
  if (author.length === 0) return null;
  const on = (kind: PostKind) => sql`(
    select 1 from registration
    join vote on vote.member_id = registration.member_id
    join ${sql.table(kind)} post on post.id = vote.${sql.ref(`${kind}_id`)}
    where network = ${network} and ${isNewMember} and registration.member_id <> ${authorId}
      and post.author_id = ${authorId}
    limit ${sql.lit(maxVotes.onPostsOfAuthorInNetwork)}
  )`;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${on('question')} union all ${on('answer')} union all ${on('reply')}) votes`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}
