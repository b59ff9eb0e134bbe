/** The size of a community, and the averages per question. */
export type Shape = {
  questions: number;
  members: number;
  tags: number;
  answers: number;
  replies: number;
  votes: number;
  views: number;
  seed: number;
  /** The time of the newest post, in milliseconds since 1970. */
  newest: number;
};

/** The age of the community at its newest post, in milliseconds. */
export const communityAgeMs = 10 * 365 * 24 * 60 * 60 * 1_000;

const most = 1_000_000;

/**
 * 20,000 tags for a million questions, otherwise in proportion to the square root: tags grow more slowly than
 * questions.
 */
export function getShape({ questions, seed, newest }: Pick<Shape, 'questions' | 'seed' | 'newest'>): Shape {
  return {
    questions,
    members: Math.max(20, Math.ceil(questions / 5)),
    tags: Math.max(20, Math.round(20_000 * Math.sqrt(questions / most))),
    answers: 2.5,
    replies: 3,
    votes: 10,
    views: 20,
    seed,
    newest,
  };
}

/** The community of the comparison with NodeBB: 20,000 questions with two answers each, without votes and views. */
export function getComparisonShape({ seed, newest }: Pick<Shape, 'seed' | 'newest'>): Shape {
  return { ...getShape({ questions: 20_000, seed, newest }), answers: 2, replies: 0, votes: 0, views: 0 };
}
