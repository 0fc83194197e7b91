import type { Answers } from './answers'

interface Difference {
  paths: RegExp
  /** The path that has it now. */
  path?: (path: string) => string
  /** What 0.2.0 answered, as this version does. */
  body?: (body: never) => unknown
}

type File = { content_type: string }
const toFile = (file: File) => ({ ...file, keeps_metadata: file.content_type !== 'image/png' })

/** What has changed in answers since 0.2.0, each as the changelog says. Everything else has to be the same. */
const differences: readonly Difference[] = [
  {
    paths: /^\/v2\/(posts|comments|messages)\/[^/]+\/reactions/,
    path: (path) => path.replace(/^\/v2\/\w+\/([^/]+)\/reactions/, '/v2/reactions/$1'),
  },
  {
    paths: /^\/v2\/files(\?|\/file_)/,
    body: (body: File | { data: File[] }) => ('data' in body ? { ...body, data: body.data.map(toFile) } : toFile(body)),
  },
]

/** What this version has to answer, if 0.2.0 answered this. */
export function expectedNow(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([path, answered]) => {
      const ours = differences.filter(({ paths }) => paths.test(path))
      return [
        ours.reduce((each, { path: change }) => change?.(each) ?? each, path),
        answered.map(({ callers, status, body }) => ({
          callers,
          status,
          body: status === 200 ? ours.reduce((each, { body: change }) => change?.(each as never) ?? each, body) : body,
        })),
      ]
    }),
  )
}
