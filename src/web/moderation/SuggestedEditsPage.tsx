import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from '#web/core/router.ts';
import {
  type EditSuggestion,
  type EditSuggestionList,
  editSuggestionList,
  maxEditSuggestionCount,
} from '#shared/moderation/edit-suggestions.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { useMember } from '#web/core/session.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { paths, parseSearch } from '#web/core/paths.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { type TabLink, TabLinks } from '#web/ui/TabLinks.tsx';
import pageClasses from '#web/ui/page.module.css';
import { editSuggestionCountQuery, editSuggestionsQuery, suggestionKeys } from './edit-suggestions.ts';
import classes from './moderation.module.css';
import { ModerationMenu } from './ModerationMenu.tsx';
import { SuggestedEditCard } from './SuggestedEditCard.tsx';

/** The suggested edits that the member can decide, and their own. */
export function SuggestedEditsPage() {
  usePageTitle(t`Suggested edits`);
  const isModerator = canModerate(useMember()?.role ?? 'member');
  const search = parseSearch(useLocation().search);
  const list = editSuggestionList.catch('review').parse(search['list']);
  const client = useQueryClient();
  // The suggestions with an open form, which would disappear with what is typed once someone else has decided them.
  const [openForms, setOpenForms] = useState<ReadonlySet<number>>(new Set());
  const query = useInfiniteQuery({ ...editSuggestionsQuery(list), enabled: openForms.size === 0 });
  const changeForms = (id: number, isOpen: boolean) =>
    setOpenForms((ids) => new Set(isOpen ? [...ids, id] : [...ids].filter((other) => other !== id)));
  const refresh = () => void client.invalidateQueries({ queryKey: suggestionKeys.all });
  useShortcuts({
    approve: () => clickButton('approve'),
    reject: () => clickButton('reject'),
    edit: () => clickButton('edit'),
  });
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Suggested edits`}</PageHeading>
        {isModerator && <ModerationMenu />}
      </div>
      <TabLinks label={t`Suggested edits`} tabs={useTabs()} current={list}>
        <div className={classes.apart}>
          <PagedList
            key={list}
            query={query}
            noun="results"
            keyOf={(item) => item.id}
            pending={null}
            empty={<NoSuggestions list={list} />}
          >
            {(items: readonly EditSuggestion[]) => (
              <>
                {list === 'review' && (
                  <p className={classes.keys}>
                    {t`Press j or k to move between edits, a to approve one, e to change it first and r to reject it.`}
                  </p>
                )}
                <ul className={classes.list}>
                  {items.map((item) => (
                    <li key={item.id}>
                      <SuggestedEditCard
                        item={item}
                        isOwn={list === 'own'}
                        onChanged={refresh}
                        onForm={changeForms}
                      />
                    </li>
                  ))}
                </ul>
              </>
            )}
          </PagedList>
        </div>
      </TabLinks>
    </>
  );
}

function NoSuggestions({ list }: { list: EditSuggestionList }) {
  return list === 'own' ? (
    <EmptyState
      title={t`You haven't suggested an edit yet`}
      text={t`Open “More actions” on a post and choose “Suggest edit”.`}
    />
  ) : (
    <EmptyState
      title={t`Nothing to review`}
      text={t`Edits that members suggest to your posts show up here.`}
    />
  );
}

function useTabs(): readonly TabLink<EditSuggestionList>[] {
  const open = useQuery(editSuggestionCountQuery).data?.open ?? 0;
  const shown = open === maxEditSuggestionCount ? `${maxEditSuggestionCount}+` : String(open);
  return [
    {
      key: 'review',
      label: open === 0 ? t`To review` : t`To review (${shown})`,
      href: paths.suggestedEdits,
    },
    { key: 'own', label: t`Yours`, href: `${paths.suggestedEdits}?list=own` },
  ];
}

/** Presses a button of the focused card. */
function clickButton(name: 'approve' | 'reject' | 'edit'): void {
  const card = document.activeElement?.closest('[data-suggested-edit]');
  card?.querySelector<HTMLButtonElement>(`[data-decision="${name}"]`)?.click();
}
