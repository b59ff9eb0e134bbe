import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { providerCallbackPath, signInProviderLimits } from '#shared/identity/provider-addresses.ts';
import type { ProviderPreset } from '#shared/admin/sign-in-provider-presets.ts';
import type { SignInProvider } from '#shared/admin/sign-in-providers.ts';
import { toast } from '#web/core/toast.ts';
import { PasswordField } from '#web/identity/index.ts';
import { CopyField } from '#web/ui/CopyField.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useMutationForm } from '#web/ui/useMutationForm.ts';
import { IssuerCheck } from './IssuerCheck.tsx';
import {
  getIssuer,
  getPresetForm,
  getProviderForm,
  partLabels,
  presetHints,
  type ProviderForm,
} from './sign-in-provider-presets.ts';
import { addProvider, changeProvider } from './sign-in-providers.ts';
import fields from '#web/ui/fields.module.css';
import classes from './admin.module.css';

/** Adds a provider from a preset, or changes one. */
export function SignInProviderForm({
  start,
  origin,
  takenIds,
  onClose,
}: {
  start: { preset: ProviderPreset } | { provider: SignInProvider };
  /** The scheme and host of the redirect address. */
  origin: string;
  takenIds: readonly string[];
  onClose: () => void;
}) {
  const client = useQueryClient();
  const preset = 'preset' in start ? start.preset : null;
  const provider = 'provider' in start ? start.provider : null;
  const [form, setForm] = useState<ProviderForm>(() =>
    'preset' in start ? getPresetForm(start.preset, takenIds) : getProviderForm(start.provider),
  );
  const partLabel = preset === null ? undefined : partLabels[preset.id];
  const firstField = useFocusOnMount();
  const issuer = getIssuer(form);
  const save = useMutation({
    mutationFn: () => {
      const { id, name, clientId, clientSecret: secret, scopes, trustsEmail } = form;
      const values = { name, issuer: issuer ?? '', clientId, scopes, trustsEmail };
      const clientSecret = secret.trim();
      return provider === null
        ? addProvider(client, { id, ...values, clientSecret })
        : changeProvider(client, id, { ...values, clientSecret: clientSecret === '' ? null : clientSecret });
    },
    onSuccess: () => {
      toast(t`Saved to the moderation log`);
      onClose();
    },
  });
  const {
    form: formProps,
    errorOf,
    formError,
  } = useMutationForm(save, ['id', 'name', 'issuer', 'part', 'clientId', 'clientSecret', 'scopes']);

  const field = (name: Exclude<keyof ProviderForm, 'trustsEmail'>) => ({
    value: form[name],
    error: errorOf(name),
    autoComplete: 'off',
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setForm((before) => ({ ...before, [name]: value }));
    },
  });

  return (
    <form {...formProps} className={classes.form}>
      {preset !== null && <PresetHint preset={preset} />}
      {/* What the admin registers at the provider. */}
      <CopyField
        label={t`Redirect address`}
        description={t`Enter it at the provider, exactly like this.`}
        text={`${origin}${providerCallbackPath(form.id)}`}
      />
      <TextInput
        ref={firstField}
        label={t`Name on the button`}
        dir="auto"
        maxLength={signInProviderLimits.name * 2}
        {...field('name')}
      />
      {partLabel === undefined ? (
        <TextInput
          label={t`Issuer`}
          description={t`The address in the provider's metadata, without /.well-known/openid-configuration`}
          dir="ltr"
          inputMode="url"
          placeholder={preset?.placeholder}
          {...field('issuer')}
        />
      ) : (
        <TextInput
          label={partLabel()}
          description={issuer === null ? undefined : t`Issuer: ${issuer}`}
          dir="ltr"
          placeholder={preset?.placeholder}
          {...field('part')}
          error={errorOf('issuer')}
        />
      )}
      <IssuerCheck issuer={issuer} />
      <TextInput label={t`Client ID`} dir="ltr" {...field('clientId')} />
      <ClientSecretField provider={provider} {...field('clientSecret')} />
      <AdvancedFields
        isNew={provider === null}
        isOpen={errorOf('id') !== null || errorOf('scopes') !== null}
        id={field('id')}
        scopes={field('scopes')}
        trustsEmail={form.trustsEmail}
        onTrustsEmail={(trustsEmail) => setForm((before) => ({ ...before, trustsEmail }))}
      />
      <FormError message={formError} />
      <div className={classes.buttons}>
        <Button type="submit" loading={save.isPending}>
          {provider === null ? t`Add provider` : t`Save`}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

type FieldProps = {
  value: string;
  error: string | null;
  autoComplete: string;
  onChange: (event: React.ChangeEvent<HTMLInputElement>) => void;
};

/** The stored secret is never shown. */
function ClientSecretField({ provider, ...props }: FieldProps & { provider: SignInProvider | null }) {
  const isMissing = provider !== null && !provider.hasReadableSecret;
  return (
    <PasswordField
      {...props}
      label={t`Client secret`}
      autoComplete="new-password"
      description={
        provider === null
          ? t`Parley stores it encrypted and never shows it again.`
          : isMissing
            ? t`The stored secret cannot be read, because SECRET of the server has changed. Enter it again.`
            : t`Leave this empty to keep the stored secret.`
      }
    />
  );
}

function PresetHint({ preset: { id, console: page } }: { preset: ProviderPreset }) {
  return (
    <p className={classes.description}>
      {presetHints[id]()}{' '}
      {page !== null && (
        <a href={page} target="_blank" rel="noreferrer">
          {t`Open its page`}
        </a>
      )}
    </p>
  );
}

function AdvancedFields({
  isNew,
  isOpen,
  id,
  scopes,
  trustsEmail,
  onTrustsEmail,
}: {
  isNew: boolean;
  /** Whether a field inside has an error. */
  isOpen: boolean;
  id: FieldProps;
  scopes: FieldProps;
  trustsEmail: boolean;
  onTrustsEmail: (trustsEmail: boolean) => void;
}) {
  const noteId = useId();
  return (
    <details className={classes.more} open={isOpen || trustsEmail}>
      <summary>{t`More options`}</summary>
      <div className={classes.form}>
        {isNew && (
          <TextInput
            label={t`ID`}
            description={t`The last part of the redirect address. It cannot be changed later.`}
            dir="ltr"
            {...id}
          />
        )}
        <TextInput label={t`Scopes`} dir="ltr" {...scopes} />
        <div>
          <label className={classes.choice}>
            <input
              type="checkbox"
              className={fields.checkbox}
              checked={trustsEmail}
              aria-describedby={noteId}
              onChange={(event) => onTrustsEmail(event.currentTarget.checked)}
            />
            {t`Trust email addresses that are not marked as verified`}
          </label>
          <p id={noteId} className={classes.description}>
            {t`Only for a directory of your own organization, whose users cannot choose their address freely. Otherwise people could register with the address of someone else.`}
          </p>
        </div>
      </div>
    </details>
  );
}

function useFocusOnMount() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
