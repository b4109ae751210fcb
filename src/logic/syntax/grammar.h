// The grammar of property files, all of it. docs/properties.md explains it for people.
//
// Formulas are flat here: operands with operators between and before them. How tightly operators
// bind is in operators.def, and shape.cc makes trees by it; so a new operator is a new row there
// and nothing here.
#pragma once

#include <algorithm>
#include <string_view>

#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/limit_depth.hpp>

#include "logic/syntax/operators.h"

namespace sooth::logic::grammar {

using namespace tao::pegtl;

// --- spaces, words -------------------------------------------------------------------------------

struct line_comment : seq<sor<one<'#'>, string<'/', '/'>>, until<eolf>> {};
struct block_comment : seq<string<'/', '*'>, until<string<'*', '/'>>> {};
struct blank : star<sor<space, line_comment, block_comment>> {};

template <typename Text>
struct keyword : seq<Text, not_at<identifier_other>> {};

struct word_property : keyword<TAO_PEGTL_STRING("property")> {};
struct word_event : keyword<TAO_PEGTL_STRING("event")> {};
struct word_pattern : keyword<TAO_PEGTL_STRING("pattern")> {};
struct word_machine : keyword<TAO_PEGTL_STRING("machine")> {};
struct word_liveness : keyword<TAO_PEGTL_STRING("liveness")> {};
struct word_monitor : keyword<TAO_PEGTL_STRING("monitor")> {};
struct word_when : keyword<TAO_PEGTL_STRING("when")> {};
struct word_violated : keyword<TAO_PEGTL_STRING("violated")> {};
struct word_over : keyword<TAO_PEGTL_STRING("over")> {};
struct word_state : keyword<TAO_PEGTL_STRING("state")> {};
struct word_error : keyword<TAO_PEGTL_STRING("error")> {};
struct word_at : keyword<TAO_PEGTL_STRING("at")> {};
struct word_any : keyword<TAO_PEGTL_STRING("any")> {};
struct word_on : keyword<TAO_PEGTL_STRING("on")> {};
struct word_of : keyword<TAO_PEGTL_STRING("of")> {};
struct word_datarace : keyword<TAO_PEGTL_STRING("datarace")> {};
struct word_atomicity : keyword<TAO_PEGTL_STRING("atomicity")> {};
struct word_exists : keyword<TAO_PEGTL_STRING("exists")> {};
struct word_forall : keyword<TAO_PEGTL_STRING("forall")> {};
struct entry_word : sor<word_property, word_event, word_pattern, word_machine, word_liveness, word_monitor, word_when> {
};

struct colon : one<':'> {};
struct comma : one<','> {};
struct arrow : sor<string<'-', '>'>, string<'\xe2', '\x86', '\x92'>> {};

// --- operators, from the table -------------------------------------------------------------------

constexpr bool is_word(std::string_view text) {
  return (text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z');
}

// The longest spelling in the table that stands here.
template <Stand stand, bool words>
struct table_operator {
  using rule_t = table_operator;
  using subs_t = empty_list;

  template <typename Input>
  static bool match(Input& in) {
    std::size_t best = 0;
    const std::string_view rest(in.current(), in.size(0));
    for (const OperatorRow& row : operator_rows()) {
      if (row.stand != stand) continue;
      for (std::string_view left = row.spellings; !left.empty();) {
        const std::size_t end = std::min(left.find(' '), left.size());
        const std::string_view spelling = left.substr(0, end);
        left.remove_prefix(std::min(end + 1, left.size()));
        if (spelling.empty() || is_word(spelling) != words || !rest.starts_with(spelling)) continue;
        const char after = rest.size() > end ? rest[end] : ' ';
        const bool goes_on = is_word(std::string_view(&after, 1)) || after == '_' || (after >= '0' && after <= '9');
        if (words && goes_on) continue;
        best = std::max(best, end);
      }
    }
    if (best == 0) return false;
    in.bump(best);
    return true;
  }
};

struct binary_word : table_operator<Stand::Binary, true> {};
// `proprty NAME:`: it begins an entry, but not with a known word; parse.cc lists the known ones.
struct entry_like
    : seq<identifier, blank, identifier, blank,
          sor<seq<colon, not_at<colon>>, seq<one<'='>, not_at<one<'='>>>, word_over, word_at, word_on, word_of>> {};
// A word where an operator must be; shape.cc says which ones there are.
struct unknown_word : seq<not_at<sor<entry_word, word_over, entry_like>>, identifier> {};
struct binary : sor<table_operator<Stand::Binary, false>, binary_word> {};

// A word such as `start` may also be a variable's name: it is an operator if something follows that
// it can be applied to.
struct prefix_symbol : table_operator<Stand::Prefix, false> {};
struct applied_symbol : seq<not_at<sor<one<'+', '-'>, string<'!', '='>>>, prefix_symbol> {};
struct applied_word : seq<not_at<sor<binary_word, entry_word>>, identifier> {};
struct applied_to : sor<one<'(', '[', '\'', '"'>, digit, applied_symbol, applied_word> {};
struct prefix_word : seq<table_operator<Stand::Prefix, true>, at<blank, applied_to>> {};
struct prefix : sor<prefix_symbol, prefix_word> {};

// --- names, numbers, events ----------------------------------------------------------------------

struct balanced;
struct balanced : seq<one<'('>, star<sor<balanced, not_one<'(', ')', '\n'>>>, one<')'>> {};
struct text_literal : seq<one<'"'>, star<not_one<'"', '\n'>>, one<'"'>> {};

struct template_arguments : seq<one<'<'>, star<not_one<'<', '>', '(', ')', '\n'>>, one<'>'>, at<two<':'>>> {};
struct function_parameters : seq<balanced, at<two<':'>>> {};
struct component : seq<identifier, opt<template_arguments>, opt<function_parameters>> {};
struct qualified : seq<opt<two<':'>>, list<component, two<':'>>> {};
struct file_letters : plus<identifier_other> {};
struct file_name : sor<text_literal, seq<file_letters, plus<one<'.'>, file_letters>>> {};
struct file_static : seq<file_name, one<':'>, not_at<one<':'>>, qualified> {};
struct name_text : sor<file_static, qualified> {};
struct path_member : identifier {};
struct path_index : plus<digit> {};
struct path_close : one<']'> {};
struct path_step : sor<if_must<one<'.'>, path_member>, if_must<one<'['>, blank, path_index, blank, path_close>> {};
struct name : seq<name_text, star<path_step>> {};

struct exponent : seq<one<'e', 'E', 'p', 'P'>, one<'+', '-'>> {};
struct number_text : seq<opt<one<'.'>>, digit, star<sor<exponent, identifier_other, one<'.'>>>> {};
struct character : seq<one<'\''>, sor<seq<one<'\\'>, not_one<'\n'>>, not_one<'\'', '\\', '\n'>>, one<'\''>> {};
struct number : sor<number_text, character> {};

struct predicate_word : identifier {};
struct argument : star<sor<balanced, text_literal, not_one<'(', ')', '"', '\n'>>> {};
struct close : one<')'> {};
struct predicate : seq<predicate_word, star<one<' ', '\t'>>, one<'('>, argument, close, not_at<two<':'>>> {};

// --- other threads, in monitors ------------------------------------------------------------------

struct thread_letters : sor<plus<digit>, text_literal, qualified> {};
struct thread_name : seq<thread_letters> {};
// `@` before a word and parentheses is `previously` if the word is an operator or an event.
struct event_word : seq<sor<TAO_PEGTL_STRING("call"), TAO_PEGTL_STRING("return"), TAO_PEGTL_STRING("acquire"),
                            TAO_PEGTL_STRING("release"), TAO_PEGTL_STRING("thread_start"),
                            TAO_PEGTL_STRING("thread_end"), TAO_PEGTL_STRING("user"), TAO_PEGTL_STRING("watch"),
                            TAO_PEGTL_STRING("read"), TAO_PEGTL_STRING("write"), TAO_PEGTL_STRING("plain_read"),
                            TAO_PEGTL_STRING("plain_write"), TAO_PEGTL_STRING("local"), TAO_PEGTL_STRING("block")>,
                        not_at<identifier_other>> {};
// Look-ahead must not make a node of the tree: hence letters, not names.
struct remote_head : seq<one<'@'>, star<one<' ', '\t'>>, not_at<sor<event_word, table_operator<Stand::Prefix, true>>>,
                         thread_letters, star<one<' ', '\t'>>, at<one<'(', '@'>>> {};

// --- formulas and expressions --------------------------------------------------------------------

struct formula;
struct formula_inside : seq<formula> {};
struct group : if_must<one<'('>, blank, formula_inside, blank, close> {};
struct interval_suffix : seq<opt<one<'_'>>, one<'s', 'w'>, not_at<identifier_other>> {};
struct interval_close : seq<one<')'>, opt<interval_suffix>> {};
struct interval_comma : one<','> {};
struct interval
    : if_must<one<'['>, blank, formula_inside, blank, interval_comma, blank, formula_inside, blank, interval_close> {};
struct remote;
struct remote_inside : seq<remote> {};
struct remote : seq<at<remote_head>, one<'@'>, star<one<' ', '\t'>>, thread_name, star<one<' ', '\t'>>,
                    sor<group, must<remote_inside>>> {};
struct unlike : sor<string<'!', '='>, string<'\xe2', '\x89', '\xa0'>> {};
struct quantifier_word : sor<word_exists, word_forall> {};
struct quantified : identifier {};
struct quantified_other : thread_name {};
struct quantifier_colon : one<':'> {};
struct quantifier_head : seq<sor<word_exists, word_forall>, blank, identifier, blank, sor<one<':'>, unlike>> {};
struct quantifier
    : seq<at<quantifier_head>, quantifier_word, blank, quantified, blank,
          opt<unlike, blank, must<quantified_other>, blank>, must<quantifier_colon>, blank, must<formula_inside>> {};
struct primary : sor<group, interval, remote, quantifier, number, predicate, name> {};
struct operand : seq<star<not_at<remote_head>, prefix, blank>, primary> {};
struct right_operand : seq<operand> {};
struct continuation : sor<seq<binary, blank, must<right_operand>>, unknown_word> {};
struct formula : seq<operand, star<blank, continuation>> {};
struct whole_formula : seq<formula> {};

// --- patterns: extended regular expressions ------------------------------------------------------

struct pattern_union;
struct pattern_inside : seq<pattern_union> {};
struct pattern_group : if_must<one<'('>, blank, pattern_inside, blank, close> {};
struct pattern_epsilon : sor<keyword<TAO_PEGTL_STRING("epsilon")>, TAO_PEGTL_STRING("ε")> {};
struct pattern_empty : sor<keyword<TAO_PEGTL_STRING("empty")>, TAO_PEGTL_STRING("∅")> {};
struct pattern_any : sor<keyword<TAO_PEGTL_STRING("any")>, one<'.'>> {};
struct pattern_symbol : seq<not_at<entry_word>, identifier> {};
struct pattern_not : sor<one<'~', '!'>, TAO_PEGTL_STRING("¬")> {};
struct pattern_postfix : one<'*', '+', '?'> {};
struct pattern_primary : sor<pattern_group, pattern_epsilon, pattern_empty, pattern_any, pattern_symbol> {};
struct pattern_factor : seq<star<pattern_not, blank>, pattern_primary, star<blank, pattern_postfix>> {};
struct pattern_concatenation : list<pattern_factor, blank> {};
struct pattern_and : sor<one<'&'>, TAO_PEGTL_STRING("∩")> {};
struct pattern_or : sor<one<'|'>, TAO_PEGTL_STRING("∪")> {};
struct pattern_right_and : seq<pattern_concatenation> {};
struct pattern_intersection : seq<pattern_concatenation, star<blank, pattern_and, blank, must<pattern_right_and>>> {};
struct pattern_right_or : seq<pattern_intersection> {};
struct pattern_union : seq<pattern_intersection, star<blank, pattern_or, blank, must<pattern_right_or>>> {};
struct whole_pattern : seq<pattern_union> {};

// --- state machines ------------------------------------------------------------------------------

struct state_name : identifier {};
struct transition_event : identifier {};
struct transition_target : identifier {};
struct transition : if_must<transition_event, blank, arrow, blank, transition_target> {};
struct transition_of_state : seq<not_at<sor<word_state, seq<word_error, blank, word_state>>>, transition> {};
struct error_mark : seq<word_error> {};
struct transitions : if_must<colon, blank, star<transition_of_state, blank, opt<comma>, blank>> {};
struct state_word : seq<word_state> {};
struct state : seq<sor<if_must<seq<error_mark, blank>, state_word>, state_word>, must<blank, state_name>, blank,
                   opt<transitions>> {};
struct open_brace : one<'{'> {};
struct close_brace : one<'}'> {};
struct states : if_must<open_brace, blank, star<state, blank>, close_brace> {};

// --- entries -------------------------------------------------------------------------------------

struct entry_name : identifier {};
struct over_event : identifier {};
struct over : if_must<word_over, blank, list<must<over_event>, seq<blank, comma, blank>>> {};
struct over_required : seq<over> {};
struct equals : one<'='> {};
struct action_stop : keyword<TAO_PEGTL_STRING("stop")> {};
struct action_report : keyword<TAO_PEGTL_STRING("report")> {};
struct action_simple : sor<action_stop, action_report, keyword<TAO_PEGTL_STRING("continue")>,
                           keyword<TAO_PEGTL_STRING("abort")>, keyword<TAO_PEGTL_STRING("break")>> {};
struct action_call_word : keyword<TAO_PEGTL_STRING("call")> {};
struct action_function : identifier {};
struct action_call : if_must<action_call_word, blank, action_function> {};
struct action : sor<action_simple, action_call> {};
struct when : if_must<word_when, blank, word_violated, blank, colon, blank, action> {};

struct property : if_must<word_property, blank, entry_name, blank, colon, blank, whole_formula, opt<blank, when>> {};
struct liveness : if_must<word_liveness, blank, entry_name, blank, colon, blank, whole_formula, opt<blank, when>> {};
struct event : if_must<word_event, blank, entry_name, blank, equals, blank, whole_formula> {};
struct pattern : if_must<word_pattern, blank, entry_name, blank, over_required, blank, colon, blank, whole_pattern,
                         opt<blank, when>> {};
struct machine : if_must<word_machine, blank, entry_name, blank, over_required, blank, states, opt<blank, when>> {};

struct any_thread : seq<word_any, blank, identifier> {};
struct at_thread : sor<any_thread, thread_name> {};
struct race_variable : name {};
struct block_name : sor<text_literal, qualified> {};
struct ready_race : seq<word_datarace, blank, word_on, blank, must<race_variable>> {};
struct ready_atomicity : seq<word_atomicity, blank, word_of, blank, must<block_name>> {};
struct at_word : seq<word_at> {};
struct written_monitor : seq<entry_name, must<blank, at_word, blank, at_thread, blank, colon, blank, whole_formula>> {};
struct over_variable : name {};
struct over_star : one<'*'> {};
struct over_what : sor<over_star, list<over_variable, seq<blank, comma, blank>>> {};
struct monitor_over : if_must<word_over, blank, over_what> {};
struct monitor_head : sor<ready_race, ready_atomicity, written_monitor> {};
struct monitor : if_must<word_monitor, blank, monitor_head, opt<blank, monitor_over>, opt<blank, when>> {};
struct entry : sor<property, liveness, event, pattern, machine, monitor> {};
struct end_of_file : eof {};
struct file : seq<opt<utf8::bom>, blank, star<entry, blank, star<one<';'>, blank>>, must<end_of_file>> {};

// --- what is said when something else stands there -----------------------------------------------

template <typename>
inline constexpr const char* message = nullptr;
template <>
inline constexpr auto message<path_member> = "expected the name of a member after '.'";
template <>
inline constexpr auto message<path_index> = "an index must be a constant number";
template <>
inline constexpr auto message<path_close> = "expected ']' after the index";
template <>
inline constexpr auto message<formula_inside> = "expected a formula";
template <>
inline constexpr auto message<close> = "expected an operator or ')'";
template <>
inline constexpr auto message<interval_comma> =
    "expected an operator, or ',' between the two ends of the interval [p, q)";
template <>
inline constexpr auto message<interval_close> = "expected an operator, or ')' at the end of the interval [p, q)";
template <>
inline constexpr auto message<right_operand> = "expected an operand after the operator";
template <>
inline constexpr auto message<whole_formula> = "expected a formula";
template <>
inline constexpr auto message<pattern_inside> = "expected a pattern";
template <>
inline constexpr auto message<pattern_right_and> = "expected a pattern after '&'";
template <>
inline constexpr auto message<pattern_right_or> = "expected a pattern after '|'";
template <>
inline constexpr auto message<whole_pattern> = "expected a pattern";
template <>
inline constexpr auto message<arrow> = "expected '->' after the event";
template <>
inline constexpr auto message<transition_target> = "expected the name of a state after '->'";
template <>
inline constexpr auto message<state_word> = "expected 'state'";
template <>
inline constexpr auto message<state_name> = "expected the name of the state";
template <>
inline constexpr auto message<close_brace> = "expected 'state', 'error state', a transition 'event -> state', or '}'";
template <>
inline constexpr auto message<entry_name> = "expected a name";
template <>
inline constexpr auto message<over_event> = "expected the name of an event";
template <>
inline constexpr auto message<over_required> = "expected 'over' and the events that this is about";
template <>
inline constexpr auto message<states> = "expected '{' and the states of the machine";
template <>
inline constexpr auto message<colon> = "expected ':'";
template <>
inline constexpr auto message<equals> = "expected '='";
template <>
inline constexpr auto message<word_violated> = "expected 'when violated:' and what to do";
template <>
inline constexpr auto message<action> =
    "expected an action: 'report', 'call NAME' or 'stop'; of a monitor 'continue', 'abort' or 'break'";
template <>
inline constexpr auto message<action_function> = "expected the name that the function is registered by";
template <>
inline constexpr auto message<monitor_head> =
    "expected 'NAME at THREAD: FORMULA', 'datarace on VARIABLE' or 'atomicity of BLOCK'";
template <>
inline constexpr auto message<at_word> = "expected 'at' and the thread whose formula this is: 'at writer', 'at any t'";
template <>
inline constexpr auto message<at_thread> =
    "expected a thread: its name, start function or number, or 'any t' for all threads";
template <>
inline constexpr auto message<race_variable> = "expected the name of a variable";
template <>
inline constexpr auto message<block_name> = "expected the name of a block that SOOTH_ATOMIC marks";
template <>
inline constexpr auto message<over_what> = "expected names of variables, or '*' for all memory";
template <>
inline constexpr auto message<remote_inside> = "expected '@thread(...)'";
template <>
inline constexpr auto message<quantified_other> = "expected the thread that is left out";
template <>
inline constexpr auto message<quantifier_colon> = "expected ':' after the thread variable";
template <>
inline constexpr auto message<end_of_file> =
    "expected an operator, 'when violated', or the next entry: property, event, "
    "pattern, machine, liveness or monitor";

// Rules that cannot fail need no message, but the compiler wants one for everything in a must.
template <typename Rule>
struct control : normal<Rule> {
  template <typename Input, typename... States>
  [[noreturn]] static void raise(const Input& in, States&&...) {
    throw parse_error(message<Rule> != nullptr ? message<Rule> : "this is not understood", in);
  }
};

// Text can be nested so deeply that the parser's stack would overflow.
template <typename Rule>
struct depth : nothing<Rule> {};
inline constexpr std::size_t kMaxNesting = 64;
template <>
struct depth<formula> : limit_depth<kMaxNesting> {};
template <>
struct depth<pattern_union> : limit_depth<kMaxNesting> {};
template <>
struct depth<balanced> : limit_depth<kMaxNesting> {};

} // namespace sooth::logic::grammar
