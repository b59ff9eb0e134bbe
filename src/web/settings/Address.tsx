import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnAddress } from '#shared/recovery.ts';
import { toastError } from '#web/platform/toast.ts';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { addressQuery, useKeepAddress } from './account.ts';
import { AddressDialog } from './AddressDialog.tsx';
import { PartSkeleton } from './PartSkeleton.tsx';
import classes from './Account.module.css';

/** The address one signs in with, and the one it is to become. */
export function Address() {
  const query = useQuery(addressQuery);
  const [opened, setOpened] = useState(false);
  const keep = useKeepAddress();
  if (query.isPending)
    return (
      <Pending label={t`Loading your address`} part>
        <PartSkeleton lines={['14rem', '11rem']} />
      </Pending>
    );
  const { data } = query;
  if (data === undefined) return <NotLoaded text={t`Your address could not be loaded.`} query={query} />;
  return (
    <div className={classes.part}>
      <p className={classes.address}>{data.email}</p>
      <output className={classes.note}>{noteOn(data)}</output>
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => setOpened(true)}>
          {t`Change email`}
        </Button>
        {data.wanted !== null && (
          <Button
            variant="default"
            loading={keep.isPending}
            onClick={() =>
              keep.mutate(undefined, {
                onError: () => toastError(t`That could not be saved. Please try again.`),
              })
            }
          >
            {t`Keep the present one`}
          </Button>
        )}
      </div>
      <AddressDialog opened={opened} isMailed={data.isMailed} onClose={() => setOpened(false)} />
    </div>
  );
}

function noteOn({ wanted, isMailed, isConfirmed }: OwnAddress): string {
  if (wanted !== null)
    return t`It becomes ${wanted} when you open the link that we have sent there. The link works for a day.`;
  if (!isMailed) return t`You sign in with it.`;
  if (!isConfirmed) return t`It is not confirmed yet: please open the link that we have sent there.`;
  return t`You sign in with it. It is confirmed.`;
}
