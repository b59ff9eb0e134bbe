import type { Reader } from '#server/core/database.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import {
  estimateSpam,
  judgePost,
  listSpamFeatures,
  maxEarlierPosts,
  maxLearnedFeatures,
  minLearnedPosts,
  ordinaryPostsPerSpam,
  type FeatureCounts,
  totalsFeature,
} from '#server/posts/index.ts';
import { type PostKind, postKind, type PostRef } from '#shared/core/fields.ts';
import {
  type HistoricDecision,
  type HistoricPost,
  type HistoryCursor,
  historyPage,
  historyStart,
  listDecisions,
  listHistoricPosts,
  listOrdinaryPostsAt,
  listRemovedHistory,
  listVisibleHistory,
  readHistorySize,
} from './spam-replay-queries.ts';

/** The thresholds that are compared, in percent. */
export const replayedProbabilities = [50, 60, 70, 80, 90, 95, 99] as const;

/** Days after which a post that is still visible counts as no spam. */
const daysUntilHam = 7;

const dayMs = 86_400_000;

/**
 * What one way to hold posts would have held. `precision` and `recall` are shares from 0 to 1, null without posts to
 * divide by.
 */
export type ReplayRow = {
  heldBy: 'rules' | 'classifier' | 'rules or classifier';
  minProbability: number | null;
  spam: number;
  others: number;
  missed: number;
  precision: number | null;
  recall: number | null;
};

export type SpamReplay = {
  since: string | null;
  until: string;
  /** The first posts of members that are judged: the setting `spamRulesOfFirstPosts`. */
  firstPosts: number;
  /** Posts that were judged. `spamLater`: spam that was no first post, which counts as missed. */
  judged: { spam: number; others: number; spamLater: number };
  /** Posts that count neither as spam nor as others: removed for another reason, or from the last 7 days. */
  leftOut: number;
  learned: { spam: number; others: number; needed: number };
  /** When the classifier had learned enough for estimates; null if it never had. */
  firstEstimateAt: string | null;
  /** Judged spam from before `firstEstimateAt`. */
  spamWithoutEstimate: number;
  /** Decisions about spam that cannot be replayed, because the posts were deleted permanently. */
  deletedSpam: number;
  rows: ReplayRow[];
};

export type ReplayRequest = {
  since: Date | null;
  settings: Pick<SiteSettings, 'get'>;
  publicUrl: string | null;
  onProgress: (done: number, total: number) => void;
};

/**
 * Replays the history of the community: judges each first post of a member by the spam rules of today's settings and by
 * what the classifier would have learned from decisions before the post (docs/decisions/094). It reads in pages of
 * `historyPage` posts and keeps the counts of at most `maxLearnedFeatures` features, give or take a page.
 */
export async function replaySpam(db: Reader, request: ReplayRequest): Promise<SpamReplay> {
  const { since, settings, publicUrl, onProgress } = request;
  const until = new Date();
  const firstPosts = settings.get('spamRulesOfFirstPosts');
  const recentMinutes = settings.get('newMemberPosts') > 0 ? settings.get('newMemberPostsMinutes') : null;
  const limits = { until, maxEarlier: Math.max(firstPosts, maxEarlierPosts), recentMinutes };
  const size = await readHistorySize(db);
  const classifier = createReplayedClassifier(db, size.lastMemberId);
  const decisions = readDecisions(db, until);
  let decision = await decisions.next();
  const tally = createTally();
  let done = 0;
  for await (const post of readHistory(db, limits)) {
    while (decision.value !== undefined && decision.value.at <= post.createdAt) {
      await classifier.learn(decision.value);
      decision = await decisions.next();
    }
    done += 1;
    if (done % historyPage === 0) onProgress(done, size.posts);
    if (since !== null && post.createdAt < since) continue;
    if (post.isModerator || post.accountHours === null) continue;
    const isRecent = post.createdAt.getTime() > until.getTime() - daysUntilHam * dayMs;
    if (post.outcome === 'removed' || (post.outcome === 'visible' && isRecent)) {
      tally.leaveOut();
      continue;
    }
    if (post.earlierPosts >= firstPosts) {
      if (post.outcome === 'spam') tally.addLaterSpam();
      continue;
    }
    const { reasons } = judgePost({ ...post, before: null, publicUrl }, settings);
    tally.add(post.outcome === 'spam', { matches: reasons.length > 0, percent: classifier.estimate(post) });
  }
  for (; decision.value !== undefined; decision = await decisions.next())
    await classifier.learn(decision.value);
  return {
    since: since?.toISOString() ?? null,
    until: until.toISOString(),
    firstPosts,
    ...tally.read(),
    learned: { ...classifier.getTotals(), needed: minLearnedPosts },
    firstEstimateAt: classifier.getFirstEstimateAt()?.toISOString() ?? null,
    deletedSpam: size.deletedSpam,
  };
}

/** The history of all kinds of posts, merged by the times at which they were written. */
async function* readHistory(
  db: Reader,
  limits: Parameters<typeof listRemovedHistory>[1] extends infer Limits ? Omit<Limits, 'after'> : never,
): AsyncGenerator<HistoricPost> {
  const read = (list: (after: HistoryCursor) => Promise<HistoricPost[]>) =>
    readPages(list, ({ createdAt, kind, id }) => ({ at: createdAt, kind, id }));
  const streams = [
    ...postKind.options.map((kind: PostKind) =>
      read((after) => listVisibleHistory(db, kind, { ...limits, after })),
    ),
    read((after) => listRemovedHistory(db, { ...limits, after })),
  ];
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    let first = -1;
    for (const [index, { value }] of heads.entries())
      if (value !== undefined && (first === -1 || value.createdAt < (heads[first]?.value?.createdAt ?? 0)))
        first = index;
    const value = heads[first]?.value;
    const stream = streams[first];
    if (value === undefined || stream === undefined) return;
    yield value;
    heads[first] = await stream.next();
  }
}

const readDecisions = (db: Reader, until: Date): AsyncGenerator<HistoricDecision, undefined> =>
  readPages(
    (after) => listDecisions(db, { after, until }),
    ({ at, kind, id }) => ({ at, kind, id }),
  );

async function* readPages<Row>(
  list: (after: HistoryCursor) => Promise<Row[]>,
  cursorOf: (row: Row) => HistoryCursor,
): AsyncGenerator<Row, undefined> {
  let after = historyStart;
  for (;;) {
    const rows = await list(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < historyPage) return undefined;
    after = cursorOf(last);
  }
}

/** What the classifier knows at one time of the history. */
function createReplayedClassifier(db: Reader, lastMemberId: number) {
  const counts = new Map<string, FeatureCounts>([[totalsFeature, { spam: 0, ham: 0 }]]);
  const learned = new Set<string>();
  const random = createRandom();
  let firstEstimateAt: Date | null = null;

  return { learn, estimate, getTotals, getFirstEstimateAt: () => firstEstimateAt };

  /** Learns a decision, and with spam as many ordinary posts as the classifier itself does. */
  async function learn({ at, isSpam, ...post }: HistoricDecision): Promise<void> {
    const ordinary = isSpam ? await chooseOrdinary(at) : [];
    const posts = await listHistoricPosts(db, [post, ...ordinary]);
    for (const each of posts)
      add(each, isSpam && each.kind === post.kind && each.id === post.id ? 'spam' : 'ham');
    const { spam, others } = getTotals();
    if (Math.min(spam, others) >= minLearnedPosts) firstEstimateAt ??= at;
  }

  async function chooseOrdinary(at: Date): Promise<PostRef[]> {
    const from = Math.floor(random() * lastMemberId);
    const posts = (await listOrdinaryPostsAt(db, { at, from })).filter((each) => !learned.has(keyOf(each)));
    return Array.from({ length: Math.min(ordinaryPostsPerSpam, posts.length) }, () =>
      posts.splice(Math.floor(random() * posts.length), 1),
    ).flat();
  }

  function add(post: HistoricPost, outcome: 'spam' | 'ham'): void {
    if (learned.has(keyOf(post))) return;
    learned.add(keyOf(post));
    for (const token of [totalsFeature, ...featuresOf(post)]) {
      const count = counts.get(token) ?? { spam: 0, ham: 0 };
      count[outcome] += 1;
      counts.set(token, count);
    }
    if (counts.size > 1.2 * maxLearnedFeatures) forgetRarest();
  }

  /** The same bound as that of the table `spam_token`. */
  function forgetRarest(): void {
    const rarest = [...counts].toSorted(([, a], [, b]) => a.spam + a.ham - (b.spam + b.ham));
    for (const [token] of rarest.slice(0, counts.size - maxLearnedFeatures)) counts.delete(token);
  }

  /** Percent, 0 without an estimate. */
  function estimate(post: HistoricPost): number {
    return firstEstimateAt === null ? 0 : (estimateSpam(featuresOf(post), counts)?.percent ?? 0);
  }

  function getTotals(): { spam: number; others: number } {
    const { spam, ham } = counts.get(totalsFeature) ?? { spam: 0, ham: 0 };
    return { spam, others: ham };
  }
}

const keyOf = ({ kind, id }: PostRef) => `${kind} ${id}`;

const featuresOf = (post: HistoricPost) =>
  listSpamFeatures({ ...post, earlierPosts: Math.min(post.earlierPosts, maxEarlierPosts) });

/** Random numbers from 0 to 1, always the same, so that two replays of a history agree (mulberry32). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Judgement = { matches: boolean; percent: number };

/** Counts judgements: for spam and others, with and without a matching rule, by percent from 0 to 99. */
function createTally() {
  const counted = [true, false].map(() => [true, false].map(() => Array.from({ length: 100 }, () => 0)));
  let leftOut = 0;
  let spamLater = 0;
  return {
    add(isSpam: boolean, { matches, percent }: Judgement) {
      const counts = countsOf(isSpam, matches);
      counts[percent] = (counts[percent] ?? 0) + 1;
    },
    leaveOut: () => void (leftOut += 1),
    addLaterSpam: () => void (spamLater += 1),
    read() {
      const spam = count(true, () => true);
      return {
        judged: { spam, others: count(false, () => true), spamLater },
        leftOut,
        spamWithoutEstimate: count(true, ({ percent }) => percent === 0),
        rows: [
          toRow('rules', null, ({ matches }) => matches),
          ...replayedProbabilities.map((min) => toRow('classifier', min, ({ percent }) => percent >= min)),
          ...replayedProbabilities.map((min) =>
            toRow('rules or classifier', min, ({ matches, percent }) => matches || percent >= min),
          ),
        ],
      };
    },
  };

  function countsOf(isSpam: boolean, matches: boolean): number[] {
    return counted[isSpam ? 0 : 1]?.[matches ? 0 : 1] ?? [];
  }

  function count(isSpam: boolean, isHeld: (judgement: Judgement) => boolean): number {
    return [true, false]
      .flatMap((matches) =>
        countsOf(isSpam, matches).map((posts, percent) => (isHeld({ matches, percent }) ? posts : 0)),
      )
      .reduce((sum, posts) => sum + posts, 0);
  }

  function toRow(
    heldBy: ReplayRow['heldBy'],
    minProbability: number | null,
    isHeld: (judgement: Judgement) => boolean,
  ): ReplayRow {
    const spam = count(true, isHeld);
    const others = count(false, isHeld);
    const missed = count(true, (each) => !isHeld(each)) + spamLater;
    const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
    return {
      heldBy,
      minProbability,
      spam,
      others,
      missed,
      precision: share(spam, spam + others),
      recall: share(spam, spam + missed),
    };
  }
}
