import type { APIRequestContext } from '@playwright/test';
import { draftHeader } from '#shared/posts/drafts-targets.ts';
import { newMember, registerMember } from '#tests/e2e/support/members.ts';
import { send } from './seed-data.ts';
import type { SeededIds } from './screen.ts';

type Members = {
  staff: APIRequestContext;
  /** Reports a post and suggests an edit. */
  other: APIRequestContext;
  /** A new account that waits for approval. */
  applicant: APIRequestContext;
};

/** Fills the lists of moderators: a report, a suggested edit, an account that waits, a warning and a note. */
export async function seedStaffWork(
  { staff, other, applicant }: Members,
  { question, own, ownAnswer, memberId }: SeededIds,
): Promise<void> {
  await send(other, 'put', `/api/questions/${question}/report`, {
    reason: 'spam',
    note: 'It sells something.',
  });
  const edit = {
    content: 'I dried it on baking paper, in flakes. That worked **very** well.',
    basedOn: await readEditedAt(other, { question: own, answer: ownAnswer }),
    summary: 'Says how it was dried',
  };
  await send(other, 'post', `/api/answers/${ownAnswer}/edit-suggestions`, edit, {
    [draftHeader]: crypto.randomUUID(),
  });
  const reason = 'Please keep to the topic of the question.';
  await send(staff, 'post', '/api/moderation/member-actions', { action: 'warn', memberId, reason });
  await send(staff, 'post', `/api/moderation/members/${memberId}/notes`, {
    text: 'Asked the same question **twice** within a week.',
  });
  await send(staff, 'put', '/api/admin/settings/joining', { value: 'approval' });
  await registerMember(applicant, newMember('Wanda Waiting'));
  await send(staff, 'put', '/api/admin/settings/joining', { value: 'open' });
}

async function readEditedAt(
  member: APIRequestContext,
  { question, answer }: { question: number; answer: number },
): Promise<string | null> {
  type Page = { answers: { items: { id: number; editedAt: string | null }[] } };
  const page = (await (await member.get(`/api/questions/${question}`)).json()) as Page;
  return page.answers.items.find(({ id }) => id === answer)?.editedAt ?? null;
}
