import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bookmarkListDraft } from '#shared/engagement/bookmarks.ts';
import { limits } from '#shared/core/limits.ts';
import { isComposing } from '#web/core/composition.ts';
import { translateSchemaError } from '#web/core/errors.ts';
import fields from '#web/ui/fields.module.css';
import { bookmarkKeys } from './bookmarks.ts';
import { bookmarkListsQuery, createBookmarkList } from './bookmark-lists.ts';
import classes from './BookmarkDialog.module.css';

/** Checkboxes for the member's lists and a field for a new one. */
export function BookmarkListPicker(props: {
  chosen: ReadonlySet<number>;
  onChange: (chosen: ReadonlySet<number>) => void;
}) {
  const client = useQueryClient();
  const { data: lists } = useQuery(bookmarkListsQuery);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: createBookmarkList,
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: bookmarkKeys.lists });
      setName('');
      props.onChange(new Set([...props.chosen, id]));
    },
    onError: (error) => setProblem(error.message),
  });

  function toggleList(id: number, on: boolean) {
    const chosen = new Set(props.chosen);
    if (on) chosen.add(id);
    else chosen.delete(id);
    props.onChange(chosen);
  }

  function add() {
    const checked = bookmarkListDraft.safeParse({ name });
    setProblem(checked.success ? null : translateSchemaError(checked.error));
    if (checked.success && !create.isPending) create.mutate(checked.data.name);
  }

  return (
    <fieldset className={classes.listPicker}>
      <legend className={classes.legend}>{t`Lists`}</legend>
      {(lists?.items ?? []).map(({ id, name }) => (
        <label key={id} className={classes.choice}>
          <input
            type="checkbox"
            className={fields.checkbox}
            checked={props.chosen.has(id)}
            onChange={(event) => toggleList(id, event.currentTarget.checked)}
          />
          <span dir="auto">{name}</span>
        </label>
      ))}
      <div className={classes.add}>
        <TextInput
          aria-label={t`New list name`}
          placeholder={t`New list`}
          size="sm"
          dir="auto"
          maxLength={limits.bookmarkListName * 2}
          value={name}
          error={problem}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
            // The surrounding form saves the bookmark.
            event.preventDefault();
            add();
          }}
        />
        <Button
          variant="default"
          size="sm"
          leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
          loading={create.isPending}
          onClick={add}
        >
          {t`Add list`}
        </Button>
      </div>
    </fieldset>
  );
}
