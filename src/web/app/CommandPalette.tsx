import { plural, t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { Modal, ModalRoot } from '#web/ui/mantine/Modal.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '#web/core/router.ts';
import { IconCommand, IconHash, IconMessageCircle, IconSearch, IconUser, IconX } from '@tabler/icons-react';
import { useId, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { limits } from '#shared/core/limits.ts';
import { truncate } from '#shared/core/text.ts';
import { addRecentItem, getRecentItems } from '#web/core/recent-items.ts';
import { useRootAttribute } from '#web/core/root-attribute.ts';
import { useMember } from '#web/core/session.ts';
import { instantSearchQuery } from '#web/discovery/search/search.ts';
import { useListbox } from '#web/ui/useListbox.ts';
import { type Choice, listChoices } from './command-palette-choices.ts';
import { useCommands } from './command-palette-commands.ts';
import classes from './CommandPalette.module.css';

type Props = { opened: boolean; onClose: () => void; onShowShortcuts: () => void };

/** Finds questions, topics, members and commands while the member types (Mod+K). Covers the whole screen on a phone. */
export default function CommandPalette({ opened, onClose, onShowShortcuts }: Props) {
  useRootAttribute('data-dialog', opened);
  const phone = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
  return (
    <ModalRoot
      opened={opened}
      onClose={onClose}
      fullScreen={phone}
      size="40rem"
      yOffset="12dvh"
      centered={false}
      lockScroll={false}
      padding={0}
      radius="lg"
      transitionProps={{ duration: 120, transition: 'fade' }}
      classNames={{ content: classes.content ?? '' }}
    >
      <Modal.Overlay color="var(--shade)" />
      <Modal.Content aria-label={t`Command palette`}>
        <CommandPaletteBody onClose={onClose} onShowShortcuts={onShowShortcuts} />
      </Modal.Content>
    </ModalRoot>
  );
}

function CommandPaletteBody({ onClose, onShowShortcuts }: Omit<Props, 'opened'>) {
  const router = useRouter();
  const listId = useId();
  const memberId = useMember()?.id ?? 0;
  const [typed, setTyped] = useState('');
  const [recent] = useState(() => getRecentItems(memberId));
  const text = truncate(typed.trim().replace(/\s+/gu, ' '), limits.searchQuery);
  const [debouncedText] = useDebouncedValue(text, 120);
  const query = useQuery(instantSearchQuery(debouncedText));
  const commands = useCommands({ showShortcuts: onShowShortcuts });
  const found = text === '' ? undefined : query.data;
  const groups = listChoices({ text, recent, commands, found });
  const choices = groups.flatMap((group) => group.choices);

  function choose(choice: Choice, event: KeyboardEvent | MouseEvent) {
    const elsewhere = event.ctrlKey || event.metaKey || event.type === 'auxclick';
    if (choice.href !== undefined && elsewhere) {
      window.open(choice.href, '_blank', 'noopener');
      return;
    }
    onClose();
    if (choice.kind !== 'search')
      addRecentItem(memberId, {
        key: choice.key,
        kind: choice.kind,
        label: choice.label,
        href: choice.href ?? '',
      });
    if (choice.href === undefined) choice.run?.();
    else void router.navigate(choice.href);
  }

  const list = useListbox({
    id: listId,
    label: t`Results`,
    options: choices,
    keyOf: ({ key }) => key,
    onChoose: choose,
    first: true,
  });

  function onKeyDown(event: KeyboardEvent) {
    const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
    if (!isShortcut) {
      list.onKeyDown(event);
      return;
    }
    event.preventDefault();
    onClose();
  }

  return (
    <>
      <div className={classes.field}>
        <IconSearch size={20} stroke={1.6} className={classes.icon} aria-hidden />
        <input
          {...list.fieldProps}
          className={classes.input}
          aria-label={t`Search or run a command`}
          placeholder={t`Questions, topics, members, commands`}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          data-autofocus
          dir={typed === '' ? undefined : 'auto'}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton size={44} aria-label={t`Close`} onClick={onClose}>
          <IconX size={18} stroke={1.8} />
        </IconButton>
      </div>
      <div {...list.listProps} className={classes.list}>
        {groups.map((group) => (
          <div key={group.title} {...list.groupProps(group.title)} className={classes.group}>
            <div className={classes.groupTitle} aria-hidden="true">
              {group.title}
            </div>
            {group.choices.map((choice) => (
              <div key={choice.key} {...list.optionProps(choice)} className={classes.option}>
                <Icon {...choice} />
                <span className={classes.label} dir="auto">
                  {choice.label}
                </span>
                {choice.note !== undefined && <span className={classes.note}>{choice.note}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <VisuallyHidden component="output">
        {plural(choices.length, { one: '# result', other: '# results' })}
      </VisuallyHidden>
    </>
  );
}

const icons = {
  question: IconMessageCircle,
  tag: IconHash,
  member: IconUser,
  command: IconCommand,
  search: IconSearch,
};

function Icon({ kind, Icon: Shape = icons[kind] }: Pick<Choice, 'kind' | 'Icon'>) {
  return <Shape size={18} stroke={1.6} className={classes.kind} aria-hidden />;
}
