import { useQuery } from '@tanstack/react-query'
import { ParleyError } from '../../client'
import type { ProblemBody } from '../../contract/errors'
import { rememberMentions } from './mentions'
import { parley } from './parley'
import { authorizedFetch } from './session'

/** Markdown rendered by the server. */
export const usePreview = (markdown: string) =>
  useQuery({
    queryKey: ['preview', markdown],
    queryFn: async () => (await parley.markdown.render({ content_markdown: markdown })).content,
    enabled: markdown.trim() !== '',
    gcTime: 0,
  })

/** The Markdown of a post, comment or message, by its path in `sources`. */
export const useSource = (path: string, html: string) =>
  useQuery({
    queryKey: ['source', path],
    queryFn: async () => {
      const markdown = await getSource(path)
      rememberMentions(markdown, html)
      return markdown
    },
    staleTime: 0,
    gcTime: 0,
    // The text must not change while it is being edited.
    refetchOnMount: 'always',
    refetchOnReconnect: false,
  })

export async function getSource(path: string): Promise<string> {
  const response = await authorizedFetch(path, { headers: { Accept: 'text/markdown' } })
  if (response.ok) return response.text()
  throw new ParleyError((await response.json()) as ProblemBody, response.headers)
}
