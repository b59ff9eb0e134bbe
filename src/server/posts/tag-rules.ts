import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { invalidFieldError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import { tagKey } from '#shared/core/text.ts';
import { canModerate, type Role } from '#shared/identity/roles.ts';
import type { TagRules } from '#shared/posts/tag-rules.ts';
import { normalizeTag } from '#shared/posts/tags.ts';
import { listKnownTags } from './tags-queries.ts';

export type TagSettings = Pick<SiteSettings, 'get'>;

/**
 * Returns whether the viewer may use or propose new tags, from how much reputation, and the tags of which a question
 * needs one.
 */
export async function readTagRules(
  db: Reader,
  { viewer, settings }: { viewer: Viewer; settings: TagSettings },
): Promise<TagRules> {
  const creation = settings.get('tagCreation');
  const canCreate = await mayCreateTags(db, { viewer, settings });
  return {
    canCreate,
    canPropose: !canCreate && settings.get('tagProposalsPerDay') > 0,
    minReputation: creation === 'experienced' ? settings.get('tagCreationReputation') : null,
    required: [...settings.get('requiredTags')],
  };
}

/**
 * Checks the tags of a question against the site settings (docs/product.md 9.10).
 * @param editorId the member who wrote an edit that the viewer approves
 * @throws ProblemError 'invalid' for a new tag that neither of them may create, and without any of the required tags
 */
export async function refuseTags(
  db: Reader,
  {
    viewer,
    editorId,
    tags,
    settings,
  }: { viewer: Viewer; editorId?: number | undefined; tags: readonly string[]; settings: TagSettings },
): Promise<void> {
  const required = settings.get('requiredTags');
  const known = await listKnownTags(db, [...tags, ...required]);
  const mainKeyOf = (name: string) => known.get(tagKey(name)) ?? tagKey(name);
  if (required.length > 0) {
    const keys = new Set(required.map(mainKeyOf));
    if (!tags.some((tag) => keys.has(mainKeyOf(tag))))
      throw invalidFieldError('tags', 'required-tag-missing', { tags: required.join(', ') });
  }
  const isAllowed = new Set([...known.keys(), ...required.map((name) => tagKey(name))]);
  const created = tags.find((tag) => !isAllowed.has(tagKey(tag)));
  if (created === undefined || (await mayCreateTags(db, { viewer, editorId, settings }))) return;
  throw newTagError('tags', created, settings);
}

/**
 * Checks that a tag exists or that the viewer may create it.
 * @throws ProblemError 'invalid'
 */
export async function refuseNewTag(
  db: Reader,
  { viewer, tag, settings }: { viewer: Viewer; tag: string; settings: TagSettings },
): Promise<void> {
  if (settings.get('tagCreation') === 'everyone') return;
  if (
    (await listKnownTags(db, [normalizeTag(tag)])).size > 0 ||
    (await mayCreateTags(db, { viewer, settings }))
  )
    return;
  throw newTagError('tag', tag, settings);
}

/** Returns the keys of those tags that any member may use: existing tags, synonyms and required tags. */
export async function listUsableTags(
  db: Reader,
  { tags, settings }: { tags: readonly string[]; settings: TagSettings },
): Promise<Set<string>> {
  const known = await listKnownTags(db, tags);
  return new Set([...known.keys(), ...settings.get('requiredTags').map((name) => tagKey(name))]);
}

export function newTagError(field: string, tag: string, settings: TagSettings) {
  return settings.get('tagCreation') === 'moderators'
    ? invalidFieldError(field, 'new-tag-by-moderators', { tag })
    : invalidFieldError(field, 'new-tag-needs-reputation', {
        tag,
        reputation: settings.get('tagCreationReputation'),
      });
}

export async function mayCreateTags(
  db: Reader,
  { viewer, editorId, settings }: { viewer: Viewer; editorId?: number | undefined; settings: TagSettings },
): Promise<boolean> {
  const creation = settings.get('tagCreation');
  if (creation === 'everyone' || canModerate(viewer.memberStatus.role)) return true;
  const memberIds = editorId === undefined ? [viewer.id] : [viewer.id, editorId];
  const { rows } = await sql<{ reputation: number; role: Role }>`
    select reputation, role from member where id = any(${memberIds}::bigint[])`.execute(db);
  const minReputation = creation === 'experienced' ? settings.get('tagCreationReputation') : Infinity;
  return rows.some(({ reputation, role }) => canModerate(role) || reputation >= minReputation);
}
