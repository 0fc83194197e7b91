import type { Channel } from '../../../contract/channels'
import { joinChannel, leaveChannel, useIsJoined } from '../../data/channels'
import { Button } from '../../parts/button'
import { useConfirm } from '../../parts/dialog'

/** Joins or leaves a channel. Leaving a private channel needs confirmation, because nobody can come back alone. */
export function JoinButton({ channel }: { channel: Channel }) {
  const isJoined = useIsJoined(channel.id)
  const [question, confirm] = useConfirm()
  if (isJoined === undefined) return null
  if (!isJoined)
    return (
      <Button label={`Join ${channel.name}`} onClick={() => void joinChannel(channel)}>
        Join
      </Button>
    )
  const leave = () =>
    channel.is_private
      ? confirm({
          title: `Leave ${channel.name}?`,
          text: 'You will no longer see this channel. Only an admin who is in it can add you again.',
          label: 'Leave',
          run: () => void leaveChannel(channel),
        })
      : void leaveChannel(channel)
  return (
    <>
      <Button
        variant="plain"
        label={`Leave ${channel.name}`}
        disabledReason={getLeaveDeniedReason(channel)}
        onClick={leave}
      >
        Leave
      </Button>
      {question}
    </>
  )
}

/** Nobody could see a private channel without members. */
export const getLeaveDeniedReason = ({ is_private, members_count }: Channel) =>
  is_private && members_count === 1 ? 'You are the only member of this private channel. Archive it instead.' : undefined
