import { isCustomEmojiName } from '../../contract/browser/constants'

/** An emoji as text. For a custom emoji, its name. */
export const formatEmoji = (emoji: string) => (isCustomEmojiName(emoji) ? `:${emoji}:` : emoji)

/** An emoji, the picture of a custom emoji, or its name if it was deleted. */
export const EmojiImage = ({ emoji, url }: { emoji: string; url: string | null }) =>
  url ? (
    <img className="custom-emoji" src={url} alt={formatEmoji(emoji)} width={18} height={18} />
  ) : (
    <span className="emoji-text">{formatEmoji(emoji)}</span>
  )
