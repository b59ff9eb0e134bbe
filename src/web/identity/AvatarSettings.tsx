import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { pictureTypes } from '#shared/core/uploads.ts';
import { api, readJson } from '#web/core/api.ts';
import { sessionQuery, useMember } from '#web/core/session.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { uploadPicture } from '#web/core/upload-picture.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useDropTarget } from '#web/ui/useDropTarget.ts';
import classes from './AvatarSettings.module.css';

/** The member's avatar, which a file chosen by button or dropped here replaces. */
export function AvatarSettings() {
  const member = useMember();
  const { sent, message, upload, cancel } = useUpload();
  const { isDropping, dropTarget } = useDropTarget(([file]) => upload(file));
  const chooser = useRef<HTMLInputElement>(null);
  if (member === null) return null;
  const { id, displayName, avatar } = member;
  const megabytes = limits.uploadBytes / 1_000_000;
  const label = t`Uploading the picture …`;
  return (
    <div className={classes.settings}>
      <fieldset
        aria-label={t`Profile picture`}
        className={classes.target}
        data-dropping={isDropping || undefined}
        {...dropTarget}
      >
        <Avatar id={id} name={displayName} avatar={avatar} size={72} />
        {sent === null ? (
          <div className={classes.buttons}>
            <Button variant="default" onClick={() => chooser.current?.click()}>
              {avatar === null ? t`Upload picture` : t`Change picture`}
            </Button>
            {avatar !== null && <RemoveButton />}
          </div>
        ) : (
          <div className={classes.progress}>
            <progress aria-label={label} max={1} value={sent} />
            <Button variant="default" onClick={cancel}>{t`Cancel upload`}</Button>
          </div>
        )}
        <p className={classes.note}>
          {t`JPEG, PNG, WebP or GIF, up to ${megabytes} MB. It is cropped to a square.`}
        </p>
        <input
          ref={chooser}
          type="file"
          accept={pictureTypes}
          hidden
          aria-label={t`Profile picture`}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) upload(file);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
      </fieldset>
      <FormError message={message} />
    </div>
  );
}

/** `sent`: the part that is sent, from 0 to 1; null if nothing is uploaded. `message`: why the upload failed. */
function useUpload() {
  const showAvatar = useShowAvatar();
  const [sent, setSent] = useState<number | null>(null);
  const [message, setMessage] = useState<string | null>(null);
  const ending = useRef<AbortController>(null);
  useEffect(() => () => ending.current?.abort(), []);
  async function upload(file: File): Promise<void> {
    ending.current?.abort();
    const { signal } = (ending.current = new AbortController());
    setMessage(null);
    setSent(0);
    try {
      const { avatar } = await uploadPicture('/api/settings/avatar', file, {
        signal,
        onProgress: setSent,
      });
      showAvatar(avatar);
      toast(t`Profile picture saved`);
    } catch (error) {
      if (signal.aborted) return;
      setMessage(error instanceof Error ? error.message : String(error));
    }
    setSent(null);
  }
  const cancel = () => {
    ending.current?.abort();
    setSent(null);
  };
  return { sent, message, upload: (file: File) => void upload(file), cancel };
}

function RemoveButton() {
  const showAvatar = useShowAvatar();
  const [isAsking, setAsking] = useState(false);
  const removal = useMutation({
    mutationFn: () => readJson(api.settings.avatar.$delete()),
    onSuccess: () => {
      showAvatar(null);
      toast(t`Profile picture removed`);
    },
    onError: (error) => toastError(error.message),
    onSettled: () => setAsking(false),
  });
  return (
    <>
      <Button variant="subtle" color="red" className={classes.remove} onClick={() => setAsking(true)}>
        {t`Remove`}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t`Remove your profile picture?`}
        text={t`Your initial is shown instead.`}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
        onCancel={() => setAsking(false)}
      />
    </>
  );
}

function useShowAvatar() {
  const client = useQueryClient();
  return (avatar: string | null) => {
    client.setQueryData(sessionQuery.queryKey, (session) =>
      session?.member ? { ...session, member: { ...session.member, avatar } } : session,
    );
    // The avatar appears on every post and card.
    void client.invalidateQueries();
  };
}
