import { openFolder } from './folder'
import { openS3 } from './s3'
import type { S3Settings } from './s3-requests'
import type { Storage } from './storage'

/** Where files are stored, as in the settings. The keys are needed for S3 only. */
export interface StorageSettings {
  filesUrl: string
  s3?: Partial<Record<'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region', string | undefined>>
}

/** Opens the storage of `FILES_URL`: `file:<path>`, a path, or `s3://bucket/prefix?endpoint=…&region=…`. */
export const openStorage = (settings: StorageSettings): Storage =>
  settings.filesUrl.startsWith('s3://') ? openS3(toS3Settings(settings)) : openFolder(folderOf(settings.filesUrl))

/** The path of a storage that is a folder. */
export const folderOf = (url: string): string => url.replace(/^file:(?:\/\/(?=\/))?/, '')

function toS3Settings({ filesUrl, s3 = {} }: StorageSettings): S3Settings {
  const { hostname, pathname, searchParams } = new URL(filesUrl)
  const region = searchParams.get('region') || s3.region || 'us-east-1'
  return {
    bucket: hostname,
    prefix: pathname.replace(/^\/+|\/+$/g, ''),
    endpoint: searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId: s3.accessKeyId ?? '',
    secretAccessKey: s3.secretAccessKey ?? '',
    sessionToken: s3.sessionToken,
  }
}
