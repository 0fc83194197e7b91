import { openFolder } from './folder'
import { openS3 } from './s3'
import type { S3Settings } from './s3-requests'
import type { Storage } from './storage'

type Environment = Readonly<Record<string, string | undefined>>

/** Opens the storage of `FILES_URL`: `file:<path>`, a path, or `s3://bucket/prefix?endpoint=…&region=…`. */
export const openStorage = (url: string, env: Environment = process.env): Storage =>
  url.startsWith('s3://') ? openS3(readS3Settings(url, env)) : openFolder(folderOf(url))

/** The path of a storage that is a folder. */
export const folderOf = (url: string): string => url.replace(/^file:(?:\/\/(?=\/))?/, '')

function readS3Settings(url: string, env: Environment): S3Settings {
  const { hostname, pathname, searchParams } = new URL(url)
  const region = searchParams.get('region') || env.S3_REGION || env.AWS_REGION || 'us-east-1'
  const read = (name: string) => env[`S3_${name}`] || env[`AWS_${name}`] || ''
  return {
    bucket: hostname,
    prefix: pathname.replace(/^\/+|\/+$/g, ''),
    endpoint: searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId: read('ACCESS_KEY_ID'),
    secretAccessKey: read('SECRET_ACCESS_KEY'),
    sessionToken: read('SESSION_TOKEN') || undefined,
  }
}
