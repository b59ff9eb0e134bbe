import { api, readJson } from '#web/core/api.ts';

/** The query keys of what the member has muted. */
export const muteKeys = {
  all: ['mutes'],
  tags: ['mutes', 'tags'],
  questions: ['mutes', 'questions'],
} as const;

export function setQuestionMute(questionId: number, muted: boolean) {
  return readJson(api.questions[':id'].mute.$put({ param: { id: String(questionId) }, json: { muted } }));
}
