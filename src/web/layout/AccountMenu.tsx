import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { Suspense, useId, useState } from 'react';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { useMember } from '#web/platform/session.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { onIntent } from '#web/ui/floating.tsx';

const load = () => import('./AccountMenuList.tsx');
const AccountMenuList = lazyPart(load);
const intent = onIntent(load);

export function AccountMenu() {
  const member = useMember();
  const id = useId();
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  if (member === null) return null;
  const opened = state === 'open';

  return (
    <>
      <ActionIcon
        ref={setButton}
        id={id}
        size={44}
        radius="xl"
        aria-label={t`Account menu`}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={() => setState(opened ? 'closed' : 'open')}
        {...intent}
      >
        <Avatar id={member.id} name={member.displayName} size={30} />
      </ActionIcon>
      {state !== 'never' && (
        <Suspense>
          <AccountMenuList
            member={member}
            button={button}
            opened={opened}
            onClose={() => setState('closed')}
          />
        </Suspense>
      )}
    </>
  );
}
