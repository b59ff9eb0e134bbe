import { t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { Suspense, useId, useState } from 'react';
import { onEscape } from '#web/core/composition.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { useMember } from '#web/core/session.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';

const load = () => import('./AccountMenuList.tsx');
const AccountMenuList = lazyComponent(load);
const intent = preloadOnIntent(load);

export function AccountMenu() {
  const member = useMember();
  const id = useId();
  // Set when the button is pressed: setting it while the page first renders would render everything again.
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  if (member === null) return null;

  return (
    <>
      <IconButton
        id={id}
        size={44}
        round
        aria-label={t`Account menu`}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
        }}
        onKeyDown={onEscape(() => setOpened(false))}
        {...intent}
      >
        <Avatar id={member.id} name={member.displayName} avatar={member.avatar} size={30} />
      </IconButton>
      {button !== null && (
        <Suspense>
          <AccountMenuList member={member} button={button} opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  );
}
