import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useId, useRef, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { getSitePicturePath, logoFile, type SitePictureName } from '#shared/core/site-pictures.ts';
import { pictureTypes } from '#shared/core/uploads.ts';
import { uploadPicture } from '#web/core/upload-picture.ts';
import { FormError } from '#web/ui/FormError.tsx';
import classes from './admin.module.css';

/** The control of a setting that is a picture. */
export function PictureField({
  name,
  label,
  description,
  error,
  value,
  onUploaded,
  onRemove,
}: {
  name: SitePictureName;
  label: string;
  description: string;
  error: string | null;
  value: string;
  onUploaded: () => Promise<void>;
  onRemove: () => void;
}) {
  const id = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const [isUploading, setUploading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const megabytes = limits.uploadBytes / 1_000_000;

  async function upload(file: File) {
    setUploading(true);
    setProblem(null);
    try {
      const ending = new AbortController();
      await uploadPicture(`/api/admin/pictures/${name}`, file, { signal: ending.signal, onProgress() {} });
      await onUploaded();
    } catch (failure) {
      setProblem(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setUploading(false);
    }
  }

  return (
    <fieldset className={classes.picture} aria-labelledby={id}>
      <span id={id} className={classes.strong}>
        {label}
      </span>
      <p className={classes.description}>
        {description} {t`JPEG, PNG, WebP or GIF, up to ${megabytes} MB.`}
      </p>
      {value !== '' && (
        <div className={classes.pictures}>
          <img
            src={getSitePicturePath(value, name === 'logo' ? logoFile : 'icon-192.png')}
            alt=""
            height={48}
          />
          <img
            src={getSitePicturePath(value, name === 'logo' ? logoFile : 'icon-192.png')}
            alt=""
            height={48}
          />
        </div>
      )}
      <div className={classes.buttons}>
        <Button size="xs" variant="default" loading={isUploading} onClick={() => chooser.current?.click()}>
          {value === '' ? t`Upload picture` : t`Change picture`}
        </Button>
        {value !== '' && (
          <Button size="xs" variant="subtle" color="red" onClick={onRemove}>
            {t`Remove`}
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        type="file"
        accept={pictureTypes}
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void upload(file);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <FormError message={problem ?? error} />
    </fieldset>
  );
}
