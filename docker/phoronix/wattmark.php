<?php
/**
 * Module of the Phoronix Test Suite: the mean wall power of every test and its result per watt, measured by a wattmark
 * service. Copy this file to ~/.phoronix-test-suite/modules. Guide: backend/docs/guide/recipes/phoronix.md.
 *
 * Nothing is asked of the service while a test runs: the time of its runs is noted here, and sent after the last one.
 */
class wattmark extends pts_module_interface
{
	const module_name = 'wattmark';
	const module_version = '1.0.0';
	const module_description = 'Mean wall power of every test and its result per watt, measured by a wattmark service.';
	const module_author = 'wattmark';

	const WHERE = 'WATTMARK_URL';
	const TOKEN = 'WATTMARK_TOKEN';
	const SERVER = 'WATTMARK_SERVER';

	/** How long the service may take to answer [s], and where it waits for readings of the meters. */
	const ASK_S = 10;
	const METERS_S = 150;
	/** When the service drops a measurement that nobody ends [s]. */
	const AT_MOST_S = 86400;
	/** As many runs have figures of their own: the service computes those of 100 parts. */
	const MOST_RUNS = 49;
	/** The suite's own name for what is read, so that its results and their importers know it. */
	const SENSOR = 'System Power Consumption';

	/** Name of this machine in the result file. */
	private static $identifier = null;
	/** The measurement that is open, with the instant of its begin [ns] and how long that request took [s]. */
	private static $measurement = null;
	private static $begun_ns = 0;
	private static $round_trip_s = 0.0;
	/** When each run of the test started [ns]. */
	private static $starts_ns = array();
	/** Results of the test, before the watts are added. */
	private static $results = array();
	/** What was measured; null: nothing, for the reason below. */
	private static $measured = null;
	private static $missing = null;

	public static function module_environment_variables()
	{
		return array(self::WHERE, self::TOKEN, self::SERVER);
	}

	public static function module_info()
	{
		return PHP_EOL . '    PTS_MODULES=wattmark WATTMARK_URL=http://appliance:8400 phoronix-test-suite benchmark TEST' . PHP_EOL
			. PHP_EOL . self::WHERE . ': address of the wattmark service whose meter measures this machine.'
			. PHP_EOL . self::TOKEN . ': a token with the role operator, where the service asks for one.'
			. PHP_EOL . self::SERVER . ': this machine in the bench of the service, where that has several.' . PHP_EOL;
	}

	public static function __run_manager_setup($manager)
	{
		try
		{
			self::ask('GET', '');
		}
		catch(Exception $problem)
		{
			self::say('No test is measured. ' . $problem->getMessage());
			return pts_module::MODULE_UNLOAD;
		}
		$manager->force_results_save();
	}

	public static function __pre_run_process($manager)
	{
		self::$identifier = $manager->get_results_identifier();
	}

	public static function __pre_test_run($request)
	{
		self::drop();
		self::$starts_ns = self::$results = array();
		self::$measured = self::$missing = null;
		$order = array('name' => $request->test_profile->get_identifier(), 'at_most_s' => self::AT_MOST_S);
		if(($server = getenv(self::SERVER)) != false)
		{
			$order['server'] = $server;
		}
		try
		{
			$opened = self::ask('POST', '', $order, self::METERS_S);
			self::$measurement = $opened['id'];
			$asked_ns = hrtime(true);
			self::ask('POST', '/' . self::$measurement . '/begin');
			self::$begun_ns = hrtime(true);
			self::$round_trip_s = (self::$begun_ns - $asked_ns) / 1e9;
		}
		catch(Exception $problem)
		{
			self::$missing = $problem->getMessage();
			self::drop();
		}
	}

	public static function __calling_test_script($request)
	{
		self::$starts_ns[] = hrtime(true);
	}

	public static function __post_test_run_success($result)
	{
		self::$results[] = clone $result;
	}

	public static function __post_test_run($request)
	{
		if(self::$measurement === null)
		{
			return;
		}
		$elapsed_s = (hrtime(true) - self::$begun_ns) / 1e9;
		$marks = array();
		foreach(self::$starts_ns as $run => $start_ns)
		{
			$start_s = ($start_ns - self::$begun_ns) / 1e9;
			$took_s = isset($request->test_run_times[$run]) ? $request->test_run_times[$run] : 0;
			$marks[] = array('label' => 'run ' . ($run + 1), 'elapsed_s' => $start_s);
			$marks[] = array('label' => 'after ' . ($run + 1), 'elapsed_s' => min($start_s + $took_s, $elapsed_s));
		}
		$path = '/' . self::$measurement . '/end';
		$order = array('elapsed_s' => $elapsed_s, 'round_trip_s' => self::$round_trip_s, 'marks' => $marks);
		try
		{
			$answer = self::ask('POST', $path, $order, self::METERS_S);
			self::$measurement = null;
			self::$measured = self::over_runs($answer, count(self::$starts_ns));
		}
		catch(Exception $problem)
		{
			self::$missing = $problem->getMessage();
			self::drop();
		}
	}

	public static function __post_test_run_process($result_file)
	{
		self::drop();
		if(self::$results && self::$measured)
		{
			self::say(self::$measured['text']);
			self::add_power($result_file, self::$results[0]);
			foreach(self::$results as $result)
			{
				self::add_per_watt($result_file, $result);
			}
		}
		else if(self::$results)
		{
			$why = 'No watts. ' . (self::$missing === null ? 'The suite did not run the test.' : self::$missing);
			self::say($why);
			$noted = clone self::$results[0];
			$noted->test_result_buffer = new pts_test_result_buffer();
			$noted->set_annotation('wattmark: ' . $why);
			$result_file->add_result($noted);
		}
		self::$results = array();
	}

	/** Compute the mean power of the runs alone, without the pauses between them. Throws where a run has none. */
	private static function over_runs($answer, $runs)
	{
		$energy_j = $duration_s = $u95_j = 0.0;
		$known = true;
		$parts = array();
		foreach($answer['parts'] as $part)
		{
			if(strpos($part['label'], 'run ') === 0)
			{
				$parts[] = $part;
			}
		}
		if($runs == 0 || count($parts) < $runs)
		{
			throw new Exception($runs > self::MOST_RUNS ? 'More than ' . self::MOST_RUNS . ' runs.' : 'A run took no time.');
		}
		foreach($parts as $part)
		{
			$power = $part['power'];
			if($power === null)
			{
				throw new Exception('Readings are missing in ' . $part['label'] . ' of ' . $runs . '. ' . implode(' ', $answer['remarks']));
			}
			$energy_j += $power['value'] * $part['duration_s'];
			$duration_s += $part['duration_s'];
			$known = $known && $power['U95'] !== null;
			// What the meter is off by is the same in all runs, so their uncertainties add up.
			$u95_j += $power['U95'] === null ? 0.0 : $power['U95'] * $part['duration_s'];
		}
		$power_w = $energy_j / $duration_s;
		$u95_w = $known && $u95_j > 0 ? $u95_j / $duration_s : null;
		$text = self::number($power_w, $u95_w) . ' W ' . ($u95_w === null ? '(± not known)' : '± ' . self::number($u95_w, $u95_w) . ' W (95 %)')
			. ($answer['simulated'] ? ', SIMULATED' : '') . ', mean of ' . $runs . ($runs == 1 ? ' run' : ' runs') . ', together '
			. number_format($duration_s, 1, '.', '') . ' s, '
			. ($answer['instead_of_wall'] === null ? 'at the wall' : $answer['instead_of_wall'])
			. ', by wattmark (run ' . $answer['run_id'] . ').';
		return array('power_w' => $power_w, 'u95_w' => $u95_w, 'simulated' => $answer['simulated'], 'text' => $text);
	}

	private static function add_power($result_file, $result)
	{
		$sensor = (self::$measured['simulated'] ? 'SIMULATED ' : '') . self::SENSOR;
		$watts = self::number(self::$measured['power_w'], self::$measured['u95_w']);
		$added = self::beside($result, $watts, 'Watts', 'LIB');
		$added->set_used_arguments_description($sensor . ' Monitor');
		$added->set_used_arguments(trim($sensor . ' ' . $result->get_arguments()));
		$result_file->add_result($added);
	}

	/** Add the result per watt, where more is better; a time per watt means nothing. */
	private static function add_per_watt($result_file, $result)
	{
		$value = $result->active->get_result();
		$profile = $result->test_profile;
		if($profile->get_display_format() != 'BAR_GRAPH' || $profile->get_result_proportion() != 'HIB' || !($value > 0))
		{
			return;
		}
		$scale = $profile->get_result_scale() . ' Per Watt' . (self::$measured['simulated'] ? ', SIMULATED' : '');
		$per_watt = $value / self::$measured['power_w'];
		$u95 = self::$measured['u95_w'] === null ? null : $per_watt * self::$measured['u95_w'] / self::$measured['power_w'];
		$result_file->add_result(self::beside($result, self::number($per_watt, $u95), $scale, 'HIB'));
	}

	/** Make a result that stands beside that of the test and says where its watts come from. */
	private static function beside($result, $value, $scale, $proportion)
	{
		$beside = clone $result;
		$beside->test_profile->set_identifier(null);
		$beside->test_profile->set_display_format('BAR_GRAPH');
		$beside->test_profile->set_result_scale($scale);
		$beside->test_profile->set_result_proportion($proportion);
		$beside->test_result_buffer = new pts_test_result_buffer();
		$footnote = array('install-footnote' => self::$measured['text']);
		$beside->test_result_buffer->add_test_result(self::$identifier, $value, null, $footnote);
		$beside->set_parent_hash($result->get_comparison_hash(true, false));
		return $beside;
	}

	/** Write a number with two digits of its uncertainty; without one, with three digits of its own. */
	private static function number($value, $u95)
	{
		$digits = $u95 === null ? 2 - floor(log10(max(abs($value), 1e-9))) : 1 - floor(log10($u95));
		return number_format(round($value, (int) $digits), (int) max(0, $digits), '.', '');
	}

	/** Drop the measurement that is open, so that the server is free for another one. */
	private static function drop()
	{
		if(self::$measurement === null)
		{
			return;
		}
		$path = '/' . self::$measurement;
		self::$measurement = null;
		try
		{
			self::ask('DELETE', $path);
		}
		catch(Exception $problem)
		{
			self::say('The measurement stays open for a day at most. ' . $problem->getMessage());
		}
	}

	private static function say($text)
	{
		echo PHP_EOL . '    wattmark: ' . $text . PHP_EOL;
	}

	/** Ask the service; gives what its answer holds. Throws with the cause and the remedy. */
	private static function ask($method, $path, $order = null, $most_s = self::ASK_S)
	{
		$where = rtrim((string) getenv(self::WHERE), '/');
		if(preg_match('#^https?://[^@?\s]+$#', $where) !== 1)
		{
			throw new Exception('Set ' . self::WHERE . ' to the address of a service, such as http://appliance:8400.');
		}
		$headers = array('Content-Type: application/json');
		if(($token = getenv(self::TOKEN)) != false)
		{
			$headers[] = 'Authorization: Bearer ' . trim($token);
		}
		$http = array('method' => $method, 'header' => $headers, 'content' => $order === null ? '' : json_encode($order),
			'timeout' => $most_s, 'ignore_errors' => true, 'follow_location' => 0);
		$stream = @fopen($where . '/api/measurements' . $path, 'rb', false, stream_context_create(array('http' => $http)));
		if($stream === false)
		{
			throw new Exception($where . ' does not answer. Is the service running?');
		}
		$lines = stream_get_meta_data($stream)['wrapper_data'];
		$content = stream_get_contents($stream, 10000000);
		fclose($stream);
		$status = (int) substr($lines[0], 9, 3);
		$answer = json_decode($content, true);
		if($status >= 200 && $status < 300 && ($status == 204 || is_array($answer)))
		{
			return $answer;
		}
		if(is_array($answer) && isset($answer['cause']))
		{
			throw new Exception($answer['cause'] . ' ' . (isset($answer['remedy']) ? $answer['remedy'] : ''));
		}
		throw new Exception($where . ' answered ' . $lines[0] . '. Is that a wattmark service?');
	}
}
