import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { size } from './community.ts';

const run = promisify(execFile);

/**
 * One vote on an answer, one answer and one view, each in its own transaction, with the rows that Parley writes for it.
 */
export const scripts = {
  vote: String.raw`
\set member random(1, ${size.members})
\set answer random(1, ${size.answers})
begin;
select question_id, author_id from answer where id = :answer \gset
select id from question where id = :question_id for key share;
select author_id, upvotes, downvotes from answer where id = :answer for no key update;
select direction from vote where answer_id = :answer and member_id = :member;
insert into vote (member_id, answer_id, direction) values (:member, :answer, 'up')
  on conflict (answer_id, member_id) where answer_id is not null
  do update set direction = excluded.direction, created_at = now();
update answer set upvotes = upvotes + 1 where id = :answer returning upvotes, downvotes;
update member set reputation = reputation + 10 where id = :author_id;
insert into notification (recipient_id, sender_id, kind, question_id, answer_id)
  select :author_id, :member, 'vote_answer', :question_id, :answer where :author_id <> :member on conflict do nothing;
insert into event (topic, event) values
  ('member:' || :author_id, '{"kind":"notified"}'),
  ('question:' || :question_id, '{"kind":"voted","post":"answer","id":1,"upvotes":1,"downvotes":0}'),
  ('answers', '{"kind":"answer-counted","answerId":1,"upvotes":1,"downvotes":0}'),
  ('profile:' || :author_id, '{"kind":"profile-changed"}');
commit;`,
  answer: String.raw`
\set member random(1, ${size.members})
\set question random(1, ${size.questions})
begin;
select author_id, created_at from question where id = :question for update \gset
insert into answer (question_id, author_id, content)
  values (:question, :member, repeat('Keep the dough in a cool place over night. ', 6)) returning id as answer_id \gset
update question set answer_count = answer_count + 1, active_at = now() where id = :question;
update member set answers_count = answers_count + 1 where id = :member;
update tag set active_at = now() where id in (select tag_id from question_tag where question_id = :question);
insert into notification (recipient_id, sender_id, kind, question_id, answer_id)
  select :author_id, :member, 'answer', :question, :answer_id where :author_id <> :member on conflict do nothing;
insert into event (topic, event) values
  ('member:' || :author_id, '{"kind":"notified"}'),
  ('question:' || :question, '{"kind":"answer-posted","answerId":1,"authorId":1}'),
  ('answers', '{"kind":"answer-posted","answerId":1,"authorId":1}'),
  ('feeds', '{"kind":"question-counted","questionId":1,"upvotes":1,"downvotes":0,"views":1,"answerCount":3}'),
  ('activity', '{"kind":"question-active","questionId":1,"tags":["tag-1"]}'),
  ('profile:' || :member, '{"kind":"profile-changed"}');
commit;`,
  view: String.raw`
\set member random(1, ${size.members})
\set question random(1, ${size.questions})
begin;
insert into question_view (question_id, member_id) values (:question, :member)
  on conflict (question_id, member_id) do update set visited_at = now();
update question set views = views + 1 where id = :question returning author_id, upvotes, downvotes, views, answer_count;
insert into event (topic, event) values
  ('question:' || :question, '{"kind":"viewed","views":1}'),
  ('feeds', '{"kind":"question-counted","questionId":1,"upvotes":1,"downvotes":0,"views":1,"answerCount":3}'),
  ('profile:' || :member, '{"kind":"profile-changed"}');
commit;`,
} as const;

/** Transactions per second by Debian's pgbench with prepared statements; undefined without pgbench. */
export async function runPgbench(
  script: string,
  { connection, clients, seconds }: { connection: pg.ClientConfig; clients: number; seconds: number },
): Promise<number | undefined> {
  const { host, port, user, password, database } = connection;
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-pgbench-'));
  const file = path.join(directory, 'script.sql');
  await writeFile(file, script);
  const parameters = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '2', '-T', String(seconds)];
  const place = ['-h', String(host), '-p', String(port), '-U', String(user)];
  try {
    const { stdout } = await run('pgbench', [...parameters, ...place, '-f', file, String(database)], {
      env: { ...process.env, PGPASSWORD: String(password) },
    });
    return Number(/tps = ([\d.]+) \(without/.exec(stdout)?.[1]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
