import type * as AwsSdk from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import { getErrorCode, getErrorMessage } from './startup-error.ts';

/** A bucket of an S3-compatible object store. */
export type ObjectStoreSettings = Readonly<{
  bucket: string;
  /** The address of the service. Undefined: that of AWS in the region. */
  endpoint: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The start of all keys, such as 'parley/'. */
  prefix: string;
}>;

/** The object store cannot be used at the moment. The message says why and contains no secret. */
export class ObjectStoreError extends Error {}

/** Stores bytes under keys. All functions throw ObjectStoreError if the service fails or does not respond in time. */
export type ObjectStore = {
  put: (key: string, content: Uint8Array) => Promise<void>;
  /** Returns undefined if there is no such object. */
  get: (key: string) => Promise<Buffer | undefined>;
  /** Does nothing if there is no such object. */
  delete: (key: string) => Promise<void>;
};

/** Milliseconds for connecting, for the start of a response, and without a byte of a response that has started. */
const connectTimeoutMs = 5_000;
const responseTimeoutMs = 10_000;

/** Milliseconds between two warnings in the log that the store does not work. */
const logIntervalMs = 60_000;

/** Creates a client. It connects at its first use, and logs failures. */
export function createObjectStore(settings: ObjectStoreSettings, log?: Logger): ObjectStore {
  const { bucket, prefix } = settings;
  let loading: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  let lastLoggedAt = 0;
  const address = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  return {
    async put(key, content) {
      const { sdk, client } = await load();
      const command = new sdk.PutObjectCommand({
        ...address(key),
        Body: content,
        ContentType: 'image/webp',
      });
      await client.send(command).catch(toObjectStoreError);
    },
    async get(key) {
      const { sdk, client } = await load();
      try {
        const { Body } = await client.send(new sdk.GetObjectCommand(address(key)));
        return Body && Buffer.from(await Body.transformToByteArray());
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return undefined;
        return toObjectStoreError(error);
      }
    },
    async delete(key) {
      const { sdk, client } = await load();
      await client.send(new sdk.DeleteObjectCommand(address(key))).catch(toObjectStoreError);
    },
  };

  function toObjectStoreError(error: unknown): never {
    const name = error instanceof Error && error.name !== 'Error' ? error.name : getErrorCode(error);
    const message = `${name ?? 'Error'}: ${getErrorMessage(error)}`;
    if (log !== undefined && Date.now() - lastLoggedAt >= logIntervalMs) {
      lastLoggedAt = Date.now();
      log.warn(`The object store (S3_BUCKET=${bucket}) does not work: ${message}`);
    }
    throw new ObjectStoreError(message, { cause: error });
  }

  /** Most installations have no object store and never load the library. */
  function load() {
    return (loading ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: createClient(sdk, settings),
    })));
  }
}

type Sdk = typeof AwsSdk;

function createClient(sdk: Sdk, settings: ObjectStoreSettings): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = settings;
  return new sdk.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    // Stores other than AWS have no host name per bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // Not every compatible store supports the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: responseTimeoutMs,
      // Without it, responses that stall would keep the connections of the client until a restart.
      socketTimeout: responseTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}
