// The questions to the server.

export class Trouble extends Error {
  constructor(says) {
    super(says.message);
    this.says = says;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Trouble({ code: "unreachable", message: "The server does not answer." });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Trouble(answer.error ?? { code: "unknown", message: `The server says ${response.status}.` });
  return answer;
}

const query = (asked) => new URLSearchParams(asked).toString();

export const position = (board, rules, signal) => ask(`/api/v1/position?${query({ board, rules })}`, { signal });
export const probe = (board, rules, signal) => ask(`/api/v1/probe?${query({ board, rules })}`, { signal });
export const line = (board, rules, signal) => ask(`/api/v1/line?${query({ board, rules })}`, { signal });
export const grade = (text, rules) => ask(`/api/v1/grade?${query({ rules })}`, { method: "POST", body: text });
export const tables = (signal) => ask("/api/v1/tables", { signal });
export const depths = (rules, stones) => ask(`/api/v1/depths?${query({ rules, stones })}`);
