import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';
import type { SpamEstimate } from '#shared/moderation/spam.ts';
import { type ClassifiedPost, estimateSpam, listSpamFeatures, totalsFeature } from './spam-classifier.ts';
import {
  addToFeatureCounts,
  deleteTraining,
  getFeatureCounts,
  insertTraining,
  listAccountHours,
  listClassifiedPosts,
  listOrdinaryPosts,
  type Training,
  trimTraining,
} from './spam-training-queries.ts';

/** Posts of members with standing that are learned with each spam post, so that both kinds stay in balance. */
export const ordinaryPostsPerSpam = 2;

/** Reads what the classifier learns from a visible or held post. Call it before the post is hidden. */
export async function readSpamFeatures(tx: Tx, post: PostRef): Promise<string[]> {
  const [found] = await listClassifiedPosts(tx, [post]);
  return found === undefined ? [] : listSpamFeatures(found);
}

/**
 * Teaches the spam classifier a moderator's decision (docs/decisions/077). A post counts once: a later decision
 * replaces the earlier one. It locks counts that all decisions share, so call it when all posts are locked.
 */
export async function learnSpam(tx: Tx, training: Training): Promise<void> {
  const { post, isSpam } = training;
  await forgetSpam(tx, { post, isSpam: !isSpam });
  await learn(tx, training);
  if (!isSpam) return;
  const ordinary = await listClassifiedPosts(tx, await listOrdinaryPosts(tx, ordinaryPostsPerSpam));
  for (const each of ordinary)
    await learn(tx, {
      post: { kind: each.kind, id: each.id },
      isSpam: false,
      tokens: listSpamFeatures(each),
    });
}

async function learn(tx: Tx, training: Training): Promise<void> {
  if (training.tokens.length === 0 || !(await insertTraining(tx, training))) return;
  await addToFeatureCounts(tx, { ...training, tokens: [totalsFeature, ...training.tokens], by: 1 });
}

/** Takes back what was learned from a post, if that was the decision. */
export async function forgetSpam(tx: Tx, wanted: { post: PostRef; isSpam: boolean }): Promise<void> {
  const tokens = await deleteTraining(tx, wanted);
  if (tokens === undefined || tokens.length === 0) return;
  await addToFeatureCounts(tx, { ...wanted, tokens: [totalsFeature, ...tokens], by: -1 });
}

/** Estimates visible and held posts. Returns null for others, and for all before enough was learned. */
export async function estimatePosts(db: Reader, posts: readonly PostRef[]): Promise<(SpamEstimate | null)[]> {
  if (posts.length === 0) return [];
  const found = await listClassifiedPosts(db, posts);
  const tokens = new Map(found.map((each) => [`${each.kind} ${each.id}`, listSpamFeatures(each)]));
  const counts = await getFeatureCounts(db, [totalsFeature, ...new Set([...tokens.values()].flat())]);
  return posts.map(({ kind, id }) => {
    const own = tokens.get(`${kind} ${id}`);
    return own === undefined ? null : estimateSpam(own, counts);
  });
}

/** A post that is not stored yet, or a text of one. `earlierPosts`: visible posts of its author, up to `maxEarlierPosts`. */
export type WrittenPostText = Omit<ClassifiedPost, 'accountHours'> & { authorId: number };

/** Estimates texts that members are posting now. Returns null for all before enough was learned. */
export async function estimateWrittenPosts(
  tx: Tx,
  posts: readonly WrittenPostText[],
): Promise<(SpamEstimate | null)[]> {
  if (posts.length === 0) return [];
  const hours = await listAccountHours(tx, [...new Set(posts.map(({ authorId }) => authorId))]);
  const tokens = posts.map((each) =>
    listSpamFeatures({ ...each, accountHours: hours.get(each.authorId) ?? null }),
  );
  const counts = await getFeatureCounts(tx, [totalsFeature, ...new Set(tokens.flat())]);
  return tokens.map((own) => estimateSpam(own, counts));
}

/** Days after which a decision can no longer be taken back, when deleted posts are deleted permanently. */
const retentionDays = 30;

/** Tokens that are counted at most, about 5 MB. The rarest are forgotten first. */
export const maxLearnedFeatures = 50_000;

export const trimSpamTraining = (db: Queryable): Promise<void> =>
  trimTraining(db, { days: retentionDays, maxFeatures: maxLearnedFeatures });
