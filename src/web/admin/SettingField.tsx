import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { NumberInput } from '#web/ui/mantine/NumberInput.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type MouseEvent, useId, useRef, useState } from 'react';
import type { SiteSetting } from '#shared/admin/settings.ts';
import type { SitePictureName } from '#shared/core/site-pictures.ts';
import { optionLabel, settingDescription, settingLabel } from '#web/core/setting-texts.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { ColorField } from './ColorField.tsx';
import { PasswordSignInDialog } from './PasswordSignInDialog.tsx';
import { PictureField } from './PictureField.tsx';
import { saveSetting, updateSettings } from './site-settings.ts';
import fields from '#web/ui/fields.module.css';
import classes from './admin.module.css';

type Value = SiteSetting['value'];

/**
 * The control of a setting. Checkboxes and choices save at once; texts and numbers have a button as soon as they differ
 * from what is stored.
 */
export function SettingField({ setting }: { setting: SiteSetting }) {
  const client = useQueryClient();
  /** Null while the field shows the stored value, which can change meanwhile. */
  const [draft, setDraft] = useState<Value | null>(null);
  const [confirming, setConfirming] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { name } = setting;
  const savesNow = savesImmediately.has(setting.type);
  const value = draft ?? setting.value;
  const isChanged = !isSame(value, setting.value);
  const isDefault = isSame(value, setting.default);

  const undo = useMutation({
    mutationFn: (before: Value) => saveSetting(client, { name, value: before }),
    onError: (error) => toastError(error.message),
  });
  const save = useMutation({
    mutationFn: (wanted: Value) => saveSetting(client, { name, value: wanted }),
    onMutate(wanted) {
      setDraft(wanted);
      return setting.value;
    },
    onSuccess(_, wanted, before) {
      showStored(wanted);
      toast(t`Saved to the moderation log`, { label: t`Undo`, run: () => undo.mutate(before) });
    },
    onError(_, wanted) {
      if (savesNow) showStored(wanted);
    },
  });

  /** What was typed while the value was saved stays. */
  function showStored(instead: Value) {
    setDraft((current) => (current === instead ? null : current));
  }

  /** Some members can lose their only way to sign in. */
  const needsConfirmation = (wanted: Value) => name === 'passwordSignIn' && wanted === false;

  /** The buttons disappear. After a press by keyboard, the focus goes to the control. */
  function focusControl({ detail: clicks }: MouseEvent) {
    if (clicks === 0) form.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isChanged && !save.isPending) save.mutate(cleanUp(value));
  }

  return (
    <form ref={form} className={classes.setting} noValidate onSubmit={submit}>
      <Control
        setting={setting}
        value={value}
        error={save.error?.message ?? null}
        onEdit={setDraft}
        onSave={(wanted) => (needsConfirmation(wanted) ? setConfirming(true) : save.mutate(wanted))}
        onUploaded={() => updateSettings(client)}
      />
      {(isChanged || !isDefault) && !savesNow && (
        <div className={classes.buttons}>
          {isChanged && (
            <Button type="submit" size="xs" loading={save.isPending} onClick={focusControl}>{t`Save`}</Button>
          )}
          {isChanged && (
            <Button
              size="xs"
              variant="default"
              onClick={(event) => {
                setDraft(null);
                save.reset();
                focusControl(event);
              }}
            >{t`Cancel`}</Button>
          )}
          {!isChanged && !isDefault && (
            <Button
              size="xs"
              variant="subtle"
              onClick={(event) => {
                setDraft(setting.default);
                focusControl(event);
              }}
            >
              {t`Reset to default`}
            </Button>
          )}
        </div>
      )}
      {confirming && (
        <PasswordSignInDialog
          onConfirm={() => {
            setConfirming(false);
            save.mutate(false);
          }}
          onClose={() => setConfirming(false)}
        />
      )}
    </form>
  );
}

function Control({
  setting,
  value,
  error,
  onEdit,
  onSave,
  onUploaded,
}: {
  setting: SiteSetting;
  value: Value;
  error: string | null;
  onEdit: (value: Value) => void;
  onSave: (value: Value) => void;
  onUploaded: () => Promise<void>;
}) {
  const descriptionId = useId();
  const errorId = useId();
  const { type, min, max } = setting;
  const texts = {
    label: settingLabel(setting.name, setting.label),
    description: settingDescription(setting.name, setting.description),
    error,
  };
  switch (type) {
    case 'boolean':
      return (
        <div>
          <label className={classes.choice}>
            <input
              type="checkbox"
              className={fields.checkbox}
              checked={value === true}
              aria-describedby={error === null ? descriptionId : `${descriptionId} ${errorId}`}
              aria-invalid={error === null ? undefined : true}
              onChange={(event) => onSave(event.currentTarget.checked)}
            />
            {texts.label}
          </label>
          <p id={descriptionId} className={classes.description}>
            {texts.description}
          </p>
          {error !== null && (
            <p id={errorId} role="alert" className={`${fields.error} ${classes.error}`}>
              {error}
            </p>
          )}
        </div>
      );
    case 'choice':
      return (
        <FormSelect
          label={texts.label}
          hint={texts.description}
          error={error}
          options={Object.keys(setting.options ?? {}).map((option) => [
            option,
            optionLabel(setting.name, option, setting.options?.[option]),
          ])}
          value={String(value)}
          onChange={onSave}
        />
      );
    case 'integer':
      return (
        <NumberInput
          {...texts}
          {...(min !== undefined && { min })}
          {...(max !== undefined && { max })}
          allowDecimal={false}
          value={typeof value === 'number' ? value : ''}
          // An empty field is not a number: the server explains it.
          onChange={(next) => onEdit(next)}
        />
      );
    case 'text':
      if (setting.format === 'colour')
        return <ColorField {...texts} value={String(value)} onChange={onEdit} />;
      return (
        <TextInput
          {...texts}
          dir="auto"
          value={String(value)}
          onChange={(event) => onEdit(event.currentTarget.value)}
        />
      );
    case 'picture':
      return (
        <PictureField
          {...texts}
          name={setting.name as SitePictureName}
          value={String(value)}
          onUploaded={onUploaded}
          onRemove={() => onSave('')}
        />
      );
    case 'markdown':
    case 'list':
      return (
        <Textarea
          {...texts}
          dir="auto"
          autosize
          minRows={type === 'list' ? 2 : 4}
          maxRows={24}
          value={Array.isArray(value) ? value.join('\n') : String(value)}
          onChange={({ currentTarget }) =>
            onEdit(type === 'list' ? currentTarget.value.split('\n') : currentTarget.value)
          }
        />
      );
  }
}

/** Types of settings whose control saves a change immediately. */
const savesImmediately: ReadonlySet<SiteSetting['type']> = new Set(['boolean', 'choice', 'picture']);

/** Lines without text are no items. */
const cleanUp = (value: Value): Value =>
  Array.isArray(value) ? value.map((line) => line.trim()).filter((line) => line !== '') : value;

const isSame = (one: Value, other: Value) => JSON.stringify(cleanUp(one)) === JSON.stringify(cleanUp(other));
