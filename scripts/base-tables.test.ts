import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * The files that may read or write hidden posts (docs/decisions/046). All others use the views question, answer, reply,
 * question_tag and notification, which leave them out.
 */
const allowed: Readonly<Record<string, string>> = {
  'src/server/posts/post-removal-queries.ts': 'hides, restores and deletes posts',
  'src/server/posts/posts-deletion-queries.ts': 'deletes many posts, hidden ones too',
  'src/server/posts/placeholders-queries.ts': 'shows hidden replies as placeholders',
  'src/server/posts/questions-queries.ts':
    'removes the duplicate marks of hidden questions too, and tells hidden from deleted ones',
  'src/server/posts/uploads-queries.ts': 'keeps the pictures of hidden replies',
  'src/server/posts/tags-moving-queries.ts': 'moves hidden questions to another tag too',
  'src/server/posts/tag-visibility.ts': 'does not show a tag whose questions are all hidden',
  'src/server/posts/authors-moving-queries.ts': 'gives hidden posts another author too',
  'src/server/engagement/votes-moving-queries.ts': 'gives votes on hidden posts another member too',
  'src/server/moderation/member-page-queries.ts':
    'names the question of a report or held post, which may be hidden',
  'src/server/admin/account-merge-columns.ts': 'names the columns that refer to a member',
  'src/server/admin/account-merge-queries.ts': 'counts hidden posts of a merged account too',
  'src/server/admin/account-merge-steps.ts': 'moves hidden notifications and views of hidden questions too',
  'src/server/notifications/preferences-queries.ts':
    'clears deliveries of notifications that are shown again',
  'src/server/moderation/tag-changes-queries.ts': 'a tag of hidden questions is in use',
  'src/server/posts/held-posts-queries.ts': 'names the question of a held post, which may be hidden',
  'src/server/moderation/hidden-posts-queries.ts': 'remembers the duplicates of a hidden question',
  'src/server/moderation/post-actions-queries.ts':
    'locks the question of a post to restore, and moves hidden duplicates',
  'src/server/moderation/activity-removal-queries.ts': 'removes the votes of a member on hidden posts too',
  'src/server/moderation/spam-replay-queries.ts': 'reads the texts of removed spam',
  'src/server/identity/data-export-sources.ts': 'gives members their own texts below hidden posts',
  'src/server/identity/account-deletion-columns.ts': 'names the columns that refer to a member',
  'src/server/identity/account-deletion-queries.ts':
    'deletes views of hidden questions, and what web hooks sent of hidden posts, too',
  'src/server/import-export/import-undo-queries.ts': 'removes what an import added, hidden posts too',
  'src/server/import-export/stack-exchange-changes-report.ts': 'names questions that the import has hidden',
  'src/server/import-export/stack-exchange-closings.ts': 'locks questions again that the import has hidden',
  'src/server/import-export/stack-exchange-gone.ts': 'remembers which posts an import hid and shows again',
  'src/server/import-export/jsonl-queries.ts':
    'adds posts with their ids, and tells a community that never had posts',
  'src/server/import-export/stack-exchange-queries.ts':
    'analyzes the tables, and detaches hidden posts from a site too',
  'src/server/import-export/stack-exchange-sources.ts':
    'reads the keys of imported posts that are hidden now too',
  'src/server/operations/integrity-check.ts': 'counts of hidden posts are right when they are restored',
  'src/server/operations/integrity-repair.ts': 'repairs these counts',
  'src/server/operations/backup-command.ts': 'names the tables of a backup',
  'src/server/discovery/search-popularity.ts': 'samples rows, which PostgreSQL allows for tables only',
  'src/server/discovery/vocabulary-queries.ts': 'reads the size and the statistics of tables',
};

const baseTable = /\bbase_(question|answer|reply|notification|\$)/;

test('only listed files name the tables with hidden posts', () => {
  const found = globSync('src/server/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts') && baseTable.test(readFileSync(file, 'utf8')))
    .toSorted();
  expect(found).toEqual(Object.keys(allowed).toSorted());
});
