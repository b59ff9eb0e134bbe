import type { TestCommunity } from '#tests/support/stack-exchange-archive.ts';

/**
 * What a move by `export --private` and `import jsonl` does not keep: tables and columns (`table.column`) by reason. All
 * others are compared.
 */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  'how members sign in, their sessions and programs': [
    'account',
    'api_token',
    'email_bounce',
    'email_link',
    'invitation',
    'invited_member',
    'member.email_verified',
    'passkey',
    'profile_claim',
    'push_subscription',
    'recovery_code',
    'registration',
    'security_event',
    'service_account',
    'session',
    'sign_in',
    'sign_in_provider',
    'sign_up_answer',
    'two_factor',
    'verification',
  ],
  'settings of the site': [
    'announcement',
    'setting',
    'site_picture_file',
    'site_setting',
    'webhook',
    'webhook_delivery',
    'webhook_old_secret',
    'webhook_queue',
  ],
  'settings and unfinished work of members': [
    'base_notification',
    'bookmark_list',
    'bookmark_list_item',
    'draft',
    'email_schedule',
    'member.email_off_at',
    'member.email_off_reason',
    'member.language',
    'notification_preference',
    'question_mute',
    'question_view',
    'tag_mute',
  ],
  'moderation, and what moderators hid': [
    'activity_removal',
    'base_answer.hidden_by',
    'base_question.hidden_by',
    'base_question_tag.hidden_by',
    'base_reply.hidden_by',
    'base_reply.is_placeholder',
    'bulk_removal',
    'close_vote',
    'edit_suggestion',
    'held_post',
    'hidden_post',
    'imported_tag_text.is_removed',
    'member.application',
    'member.role',
    'member_note',
    'membership_application',
    'moderation_log',
    'moderator_message',
    'removed_vote',
    'report',
    'review_item',
    'revision.replaced_by_suggestion',
    'spam_token',
    'spam_training',
    'tag.has_purged_questions',
    'tag_change',
    'tag_proposal',
    'tag_proposal_question',
  ],
  'deleted and merged accounts (jsonl-claims.test.ts has claimed profiles)': [
    'account_deletion',
    'account_merge',
    'blocked_email',
    'member.deleted_at',
  ],
  'computed from other rows, by the import or by a job': [
    'answer_score',
    'base_answer.popularity',
    'base_answer.search_vector',
    'base_question.popularity',
    'base_question.search_vector',
    'base_question.title_vector',
    'base_reply.answer_key',
    'base_reply.parent_level',
    'base_reply.updated_at',
    'community_statistics',
    'community_tag_statistics',
    'member.updated_at',
    'member_daily_statistics',
    'member_statistics',
    'member_statistics_change',
    'question_sort_key',
    'search_word',
    'stale_statistics_day',
    'tag_question_sort_key',
    'tag_statistics_change',
    'tag_weekly_statistics',
  ],
  'of the import: a move is an import of its own': [
    'import_run',
    'import_source',
    'imported_badge.run_id',
    'imported_picture',
    'imported_redirect.run_id',
    'imported_row',
    'imported_tag_text.run_id',
  ],
  'pictures, which the import encodes anew': [
    'upload.bytes',
    'upload.content_hash',
    'upload.uploaded_at',
    'upload_file.content',
  ],
  'of the installation': [
    'backup_run',
    'deleted_object',
    'email_failure',
    'empty_search',
    'event',
    'event_reader',
    'export_run',
    'idempotency_key',
    'member_last_write',
    'migration',
    'member.image',
    'node_heartbeat',
    'public_change',
    'public_change_state',
    'rate_limit',
    'upload_file.object_key',
    'used_nonce',
  ],
  'numbers of rows that nothing shows': [
    'bookmark.id',
    'imported_badge.id',
    'imported_bounty.id',
    'imported_wiki.id',
    'revision.id',
    'tag.id',
    'upload.id',
  ],
};

const names = new Set(Object.values(leftOut).flat());

/** Columns with numbers that a move changes, as what the numbers stand for. */
const references: Readonly<Record<string, string>> = {
  source_id: '(select site from import_source where id = source_id)',
  tag_id: '(select key from tag where id = tag_id)',
  synonym_of: '(select key from tag main where main.id = each.synonym_of)',
  upload_id: '(select name from upload where id = upload_id)',
};

type Column = { table: string; name: string; value: string; default: string };

/** All columns that a move keeps, from the catalogue. */
export async function listMovedColumns({ rows }: TestCommunity): Promise<Column[]> {
  const columns = await rows(`
    select relname as table, attname as name, coalesce(pg_get_expr(adbin, adrelid), 'null') as default
    from pg_class join pg_attribute on attrelid = pg_class.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    order by relname, attnum`);
  return (columns as Omit<Column, 'value'>[])
    .filter(({ table, name }) => !names.has(table) && !names.has(`${table}.${name}`))
    .map((column) => ({ ...column, value: references[column.name] ?? `"${column.name}"` }));
}

/** Entries of the list above that are no table or column. */
export async function listUnknownNames({ rows }: TestCommunity): Promise<string[]> {
  const known = await rows(`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    union all select relname || '.' || attname from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`);
  const existing = new Set(known.map(({ name }) => name));
  return [...names].filter((name) => !existing.has(name));
}

/** All rows of the tables that a move keeps, sorted, with the columns that it keeps. */
export async function readMovedTables(community: TestCommunity): Promise<Record<string, unknown[]>> {
  const columns = Map.groupBy(await listMovedColumns(community), ({ table }) => table);
  const tables: Record<string, unknown[]> = {};
  for (const [table, listed] of columns) {
    const values = listed.map(({ name, value }) => `${value} as "${name}"`).join(', ');
    const rows = await community.rows(
      `select to_jsonb(shown)::text as row from (select ${values} from "${table}" each) shown order by 1`,
    );
    tables[table] = rows.map(({ row }) => JSON.parse(row as string) as unknown);
  }
  return tables;
}
