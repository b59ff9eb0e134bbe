import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { Abilities } from '#shared/moderation/edit-suggestions.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { findReputation } from './edit-suggestions-queries.ts';

export type AbilitySettings = Pick<SiteSettings, 'get'>;

type Wanted = { viewer: Viewer; settings: AbilitySettings };

/** Returns what a member may do with posts of others, by role and reputation. */
export async function readAbilities(db: Reader, { viewer, settings }: Wanted): Promise<Abilities> {
  const reputation = await findReputation(db, viewer.id);
  const isModerator = canModerate(viewer.memberStatus.role);
  const editing = settings.get('directEditing');
  const isEditor =
    editing !== 'nobody' &&
    (isModerator || (editing === 'experienced' && reputation >= settings.get('directEditReputation')));
  return {
    suggestEdits: isEditor || settings.get('editSuggestionsPerDay') > 0,
    editDirectly: isEditor,
    reviewEdits: isModerator || reputation >= settings.get('editApprovalReputation'),
  };
}
