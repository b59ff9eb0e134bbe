import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { SecondFactorSetup } from '#shared/second-factor.ts';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { toast } from '#web/platform/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  renewRecoveryCodes,
  secondFactorQuery,
  sentenceFor,
  setUpSecondFactor,
  switchSecondFactorOff,
} from './factors.ts';
import { ProofDialog } from './ProofDialog.tsx';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import { PartSkeleton } from './PartSkeleton.tsx';
import classes from './Account.module.css';

// With what draws QR codes.
const SetupForm = lazyPart(async () => ({ default: (await import('./SecondFactorSetup.tsx')).SetupForm }));

type Opened = 'start' | 'renew' | 'off' | null;

/** Whether a code is asked for as well as the password, and the recovery codes. */
export function SecondFactor() {
  const query = useQuery(secondFactorQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const [setup, setSetup] = useState<SecondFactorSetup | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  if (query.isPending)
    return (
      <Pending label={t`Loading how you sign in`} part>
        <PartSkeleton lines={['6rem']} />
      </Pending>
    );
  const { data } = query;
  if (data === undefined) return <NotLoaded text={t`How you sign in could not be loaded.`} query={query} />;
  const left = data.recoveryCodesLeft;
  const close = () => setOpened(null);

  return (
    <div className={classes.part}>
      <output className={classes.note}>
        {data.since === null ? (
          t`It is off.`
        ) : (
          <Trans>
            On since <Time at={data.since} />.{' '}
            {plural(left, { one: '# recovery code is left.', other: '# recovery codes are left.' })}
          </Trans>
        )}
      </output>
      <div className={classes.buttons}>
        {data.since === null ? (
          <Button variant="default" onClick={() => setOpened('start')}>
            {t`Set up two-factor sign-in`}
          </Button>
        ) : (
          <>
            <Button variant="default" onClick={() => setOpened('renew')}>
              {t`New recovery codes`}
            </Button>
            <Button variant="default" onClick={() => setOpened('off')}>
              {t`Switch two-factor sign-in off`}
            </Button>
          </>
        )}
      </div>
      <ProofDialog
        title={t`Set up two-factor sign-in`}
        opened={opened === 'start'}
        followed
        action={t`Continue`}
        run={setUpSecondFactor}
        sentenceFor={sentenceFor}
        onDone={(made) => {
          close();
          setSetup(made);
        }}
        onClose={close}
      />
      <ProofDialog
        title={t`New recovery codes`}
        opened={opened === 'renew'}
        followed
        action={t`Make new codes`}
        text={t`Those you have now will work no more.`}
        run={renewRecoveryCodes}
        sentenceFor={sentenceFor}
        onDone={({ recoveryCodes }) => {
          close();
          setCodes(recoveryCodes);
        }}
        onClose={close}
      />
      <ProofDialog
        title={t`Switch two-factor sign-in off`}
        opened={opened === 'off'}
        action={t`Switch off`}
        text={t`From then on your password alone signs you in.`}
        run={switchSecondFactorOff}
        sentenceFor={sentenceFor}
        onDone={() => {
          close();
          toast(t`Two-factor sign-in is off.`);
        }}
        onClose={close}
      />
      <Dialog
        title={t`Set up two-factor sign-in`}
        opened={setup !== null}
        followed
        onClose={() => setSetup(null)}
      >
        <Suspense>
          {setup !== null && (
            <SetupForm
              setup={setup}
              onDone={(made) => {
                setSetup(null);
                setCodes(made);
              }}
            />
          )}
        </Suspense>
      </Dialog>
      <Dialog
        title={t`Recovery codes`}
        opened={codes !== null}
        closeButton={false}
        // Only its button: they are not shown again.
        onClose={() => {}}
      >
        {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      </Dialog>
    </div>
  );
}
