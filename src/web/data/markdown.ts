import { useQuery } from '@tanstack/react-query'
import { toApiError } from '../../client'
import { rememberMentions, toMarkdown } from './mentions'
import { parley } from './parley'
import { authorizedFetch } from './session'
import { rememberTypedMentions } from './typed-mentions'

/** The Markdown of a text in the editor, as it is sent. */
export async function toFinalMarkdown(text: string): Promise<string> {
  await rememberTypedMentions(text)
  return toMarkdown(text).trim()
}

/** A text in the editor, rendered by the server. */
export const usePreview = (text: string) =>
  useQuery({
    queryKey: ['preview', text],
    queryFn: async () => (await parley.markdown.render({ content_markdown: await toFinalMarkdown(text) })).content,
    enabled: text.trim() !== '',
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
  throw await toApiError(response)
}
